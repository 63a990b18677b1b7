import { randomBytes } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { type AccountDigest, accountDigest } from '../api/accountDigest';
import type { ServiceAccess } from '../api/address';
import { CallAttempts } from '../api/callAttempts';
import { idempotencyKey } from '../api/idempotencyKey';
import type { PhoneDigits } from '../api/phone';
import {
	openToken,
	sealToken,
	TOKEN_LIFETIME_SECONDS,
	type VerificationToken,
} from '../api/verificationToken';
import type { VendorId } from '../api/vendorId';
import type { Clock } from '../runtime/clock';
import { CodeChecks } from './codeChecks';
import { TriesStore } from './triesStore';

const MINUTE = 60_000;

/** Shared by all nodes of this process. */
const attempts = new CallAttempts();

/** Everything around calls and codes that needs the credential's key. */
export class CallAccount {
	readonly digest: AccountDigest;

	/** Identifies the node when counting calls per hour. */
	readonly nodeKey: string;

	private checks: CodeChecks | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly access: ServiceAccess,
		private readonly clock: Clock,
		private readonly isTool: boolean,
	) {
		this.digest = accountDigest(access);
		this.nodeKey = `${context.getWorkflow().id} ${context.getNode().id}`;
	}

	sealToken(uid: VendorId, phone: PhoneDigits): string | null {
		const expiresAt = this.now() + TOKEN_LIFETIME_SECONDS;
		const content = { uid, phone: String(phone), expiresAt };
		return sealToken(content, this.access.secretKey, randomBytes) ?? null;
	}

	openToken(token: string): VerificationToken {
		return openToken(token, this.access.secretKey, this.now());
	}

	/**
	 * The same for all starts to a number within a time slot, so that the service makes only one call. The slot is
	 * fixed when the execution starts, or a retry after its end would call again.
	 */
	cooldownKey(phone: PhoneDigits, minutes: number): string {
		const memory = this.context.getContext('node');
		memory.cooldownTime ??= this.clock.wallTime();
		const slot = Math.floor(Number(memory.cooldownTime) / (minutes * MINUTE));
		return idempotencyKey([this.digest('cooldown', phone, minutes, slot)]);
	}

	/** Created when the first item needs it, because evaluating an expression takes time. */
	get codeChecks(): CodeChecks {
		const { context, digest, clock } = this;
		return (this.checks ??= new CodeChecks({
			attempts,
			store: new TriesStore(context, digest),
			digest,
			memory: context.getContext('node'),
			// n8n increases a tool's run index on every retry of the same tool call.
			pass: this.isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0)),
			isManual: context.getMode() === 'manual',
			clock,
		}));
	}

	private now(): number {
		return Math.floor(this.clock.wallTime() / 1_000);
	}
}
