import { randomBytes } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { type AccountDigest, accountDigest, type ServiceAccess } from '../transport/credential';
import { CallAttempts } from './callAttempts';
import { Cooldowns } from './cooldowns';
import { idempotencyKey } from './idempotencyKey';
import type { PhoneDigits } from '../phones/phone';
import { isRecord } from '../contract/fields';
import { systemClock } from '../transport/systemClock';
import {
	openToken,
	sealToken,
	TOKEN_LIFETIME_SECONDS,
	type VerificationToken,
} from './verificationToken';
import type { VendorId } from './vendorId';
import type { LostAttempts } from '../pacing/retry';
import type { Clock } from '../pacing/clock';
import { settle, unsettle } from '../pacing/settled';
import { CodeChecks } from './codeChecks';
import { TriesStore } from './triesStore';

const MINUTE = 60_000;

/** Shared by all nodes of this process. */
const attempts = new CallAttempts();
const countingSince = systemClock.wallTime();
const cooldowns = new Cooldowns();

interface Cooldown {
	readonly phone: PhoneDigits;
	readonly minutes: number;
	/** A call that failed may have been made if an attempt was lost. */
	readonly attempts: LostAttempts;
}

/** Everything around calls and codes that needs the credential's key. */
export class CallGuards {
	readonly digest: AccountDigest;

	/** Identifies the node when counting calls per hour. */
	readonly nodeKey: string;

	private checks: CodeChecks | undefined;

	private knownPass: string | number | undefined;

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

	/** Starts a call with a key for which the service makes no second call to the number too soon. */
	async withCooldown<T extends { readonly exists: unknown }>(
		{ phone, minutes, attempts: ofCall }: Cooldown,
		start: (key: string) => Promise<T>,
	): Promise<T> {
		const number = this.digest('cooldown', phone);
		const now = this.clock.wallTime();
		const key = cooldowns.claim(number, minutes * MINUTE, now, () => this.slotKey(phone, minutes));
		const result = await settle(async () => await start(key));
		// A call that existed before was made by another process, or by a start that is remembered already.
		const isMade = result.ok ? result.value.exists !== true : ofCall.any;
		if (!isMade) cooldowns.release(number, key);
		return unsettle(result);
	}

	/**
	 * The same for all starts to a number within a time slot, in every process. The slot is fixed when a pass starts, or
	 * a retry after its end would call again.
	 */
	private slotKey(phone: PhoneDigits, minutes: number): string {
		const slot = Math.floor(this.passTime() / (minutes * MINUTE));
		return idempotencyKey([this.digest('cooldown', phone, minutes, slot)]);
	}

	/** Created when the first item needs it, because evaluating an expression takes time. */
	get codeChecks(): CodeChecks {
		const { context, digest, clock } = this;
		return (this.checks ??= new CodeChecks({
			attempts,
			countingSince,
			store: new TriesStore(context, digest),
			digest,
			memory: context.getContext('node'),
			pass: this.pass,
			isManual: context.getMode() === 'manual',
			clock,
		}));
	}

	private get pass(): string | number {
		return (this.knownPass ??= passOf(this.context, this.isTool));
	}

	/** In the node's context, because n8n keeps it across retries. */
	private passTime(): number {
		const memory = this.context.getContext('node');
		const known = isRecord(memory.cooldown) ? memory.cooldown : {};
		if (known.pass === this.pass) return Number(known.time);
		const time = this.clock.wallTime();
		memory.cooldown = { pass: this.pass, time };
		return time;
	}

	private now(): number {
		return Math.floor(this.clock.wallTime() / 1_000);
	}
}

/** Different for each pass of a loop. For a tool always the same, because n8n increases its run index on every retry. */
export function passOf(context: IExecuteFunctions, isTool: boolean): string | number {
	return isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0));
}
