import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import type { LostAttempts } from '../pacing/retry';
import type { Clock } from '../pacing/time';
import type { PhoneDigits } from '../phones/phone';
import { type AccountDigest, accountDigest, type ServiceAccess } from '../transport/credential';
import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';
import { systemClock } from '../transport/pipeline';
import { AttemptStore } from './attemptStore';
import type { VendorId } from './call';
import { CallsPerHour, Cooldowns } from './callLimits';
import { CodeAttempts } from './codeAttempts';
import { CodeChecks } from './codeChecks';
import {
	openToken,
	sealToken,
	TOKEN_LIFETIME_SECONDS,
	type VerificationToken,
} from './verificationToken';

const MINUTE = 60_000;

/** Shared by all nodes of this process. */
const codeAttempts = new CodeAttempts();
const countingSince = systemClock.wallTime();
const cooldowns = new Cooldowns();
const callsPerHour = new CallsPerHour();

interface CallLimits {
	readonly limitKey?: string;
	/** 0: no limit. */
	readonly maxCallsPerHour: number;
	/** 0: no limit. */
	readonly maxCallsPerKey: number;
}

/** What keeps strangers from misusing calls and codes: limits, cooldowns, tokens, and code checks. */
export class CallGuards {
	readonly digest: AccountDigest;

	private checks: CodeChecks | undefined;

	private knownPass: string | number | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly access: ServiceAccess,
		private readonly clock: Clock,
		private readonly isTool: boolean,
	) {
		this.digest = accountDigest(access);
	}

	sealToken(uid: VendorId, phone: PhoneDigits): string | null {
		const expiresAt = this.nowSeconds() + TOKEN_LIFETIME_SECONDS;
		const content = { uid, phone: String(phone), expiresAt };
		return sealToken(content, this.access.secretKey) ?? null;
	}

	openToken(token: string): VerificationToken {
		return openToken(token, this.access.secretKey, this.nowSeconds());
	}

	/**
	 * Starts the call unless a limit for the last hour is reached. A call that failed counts only if it may have been
	 * made. The key is the call's idempotency key, or a new object if the method has none.
	 */
	async withinLimits<T>(
		limits: CallLimits,
		key: string | object,
		attempts: LostAttempts,
		start: () => Promise<T>,
	): Promise<T> {
		const claimed: string[] = [];
		const release = () => claimed.forEach((counter) => callsPerHour.release(counter, key));
		for (const { counter, most, problem, field } of this.limitsOf(limits)) {
			if (!callsPerHour.claim(counter, key, most, this.clock.now())) {
				release();
				throw new InputError(problem, `“${field}” is ${most}. Raise it, or try again later.`);
			}
			claimed.push(counter);
		}
		let isStarted = false;
		try {
			const record = await start();
			isStarted = true;
			return record;
		} finally {
			if (!isStarted && !attempts.any) release();
		}
	}

	/** Starts a call with a key for which the service makes no second call to the number too soon. */
	async withCooldown<T extends { readonly exists: unknown }>(
		phone: PhoneDigits,
		minutes: number,
		attempts: LostAttempts,
		start: (key: string) => Promise<T>,
	): Promise<T> {
		const number = this.digest('cooldown', phone);
		const now = this.clock.wallTime();
		const key = cooldowns.claim(number, minutes * MINUTE, now, () => this.slotKey(phone, minutes));
		let isMade: boolean | undefined;
		try {
			const record = await start(key);
			// A call that existed before was made by another process, or by a start that is remembered already.
			isMade = record.exists !== true;
			return record;
		} finally {
			if (!(isMade ?? attempts.any)) cooldowns.release(number, key);
		}
	}

	/** Created when the first item needs it, because evaluating an expression takes time. */
	get codeChecks(): CodeChecks {
		const { context, digest, clock } = this;
		return (this.checks ??= new CodeChecks({
			attempts: codeAttempts,
			countingSince,
			store: new AttemptStore(context, digest),
			digest,
			memory: context.getContext('node'),
			pass: this.pass,
			isManual: context.getMode() === 'manual',
			clock,
		}));
	}

	/** The key first: whoever has used up their own calls is not told about those of others. */
	private limitsOf({ limitKey, maxCallsPerHour, maxCallsPerKey }: CallLimits) {
		const node = `${this.context.getWorkflow().id} ${this.context.getNode().id}`;
		return [
			{
				counter: `${node} ${this.digest('limit key', limitKey ?? '')}`,
				most: limitKey === undefined ? 0 : maxCallsPerKey,
				problem:
					'This limit key has reached its limit of calls within an hour, so the call was not started',
				field: 'Max Calls per Hour and Key',
			},
			{
				counter: node,
				most: maxCallsPerHour,
				problem:
					'This node has reached its limit of calls within an hour, so the call was not started',
				field: 'Max Calls per Hour',
			},
		].filter(({ most }) => most > 0);
	}

	/**
	 * The same for all starts to a number within a time slot, in every process. The slot is fixed when a pass starts, or
	 * a retry after its end would call again.
	 */
	private slotKey(phone: PhoneDigits, minutes: number): string {
		const slot = Math.floor(this.passTime() / (minutes * MINUTE));
		return idempotencyKey([this.digest('cooldown', phone, minutes, slot)]);
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

	private nowSeconds(): number {
		return Math.floor(this.clock.wallTime() / 1_000);
	}
}

/** Different for each pass of a loop. For a tool always the same, because n8n increases its run index on every retry. */
export function passOf(context: IExecuteFunctions, isTool: boolean): string | number {
	return isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0));
}

/**
 * The same parts always give the same key, so that a node that n8n runs again repeats its requests instead of making
 * new ones. Formatted as a UUID v4, as the contract requires.
 */
export function idempotencyKey(parts: ReadonlyArray<string | number | undefined>): string {
	// JSON keeps ["a", "b"] and ["a,b"] apart; undefined becomes null.
	const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
