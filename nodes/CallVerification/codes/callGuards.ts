import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { ExpiringMap } from '../pacing/expiringMap';
import type { LostAttempts } from '../pacing/retry';
import type { Clock } from '../pacing/time';
import type { PhoneDigits } from '../phones/phone';
import { type AccountDigest, accountDigest, type ServiceAccess } from '../transport/credential';
import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';
import { openToken, sealToken, TOKEN_LIFETIME_SECONDS, type VendorId } from './call';
import { CodeChecks } from './codeChecks';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface StartedCall {
	readonly startedAt: number;
	/** Starts that made the call, or still may. */
	starts: number;
}

/** Of a node, or of one of its limit keys, in this process only. A start that is repeated with its key counts once. */
export class CallsPerHour<Key> extends ExpiringMap<{
	readonly calls: Map<Key, StartedCall>;
	/** Strangers may choose limit keys, so none is kept for longer than an hour after its last call. */
	readonly expiresAt: number;
}> {
	/** False if there are `most` others. Synchronous, so that calls that start together cannot exceed it. */
	claim(counter: string, key: Key, most: number, now: number): boolean {
		const calls = this.get(counter)?.calls ?? new Map<Key, StartedCall>();
		for (const [earlier, { startedAt }] of calls) {
			if (now - startedAt < HOUR) break;
			calls.delete(earlier);
		}
		const call = calls.get(key) ?? { startedAt: now, starts: 0 };
		if (call.starts === 0 && calls.size >= most) return false;
		call.starts++;
		calls.set(key, call);
		this.add(counter, { calls, expiresAt: now + HOUR }, now);
		return true;
	}

	/** This start did not make the call; another one with the same key may have. */
	release(counter: string, key: Key): void {
		const calls = this.get(counter)?.calls;
		const call = calls?.get(key);
		if (!calls || !call || --call.starts > 0) return;
		calls.delete(key);
		if (calls.size === 0) this.delete(counter);
	}
}

const callsPerHour = new CallsPerHour<string | object>();
/** Whoever calls a number again too soon gets the key of its last call, for which the service makes no new one. */
const lastCalls = new ExpiringMap<StartedCall & { key: string; expiresAt: number }>(50_000);

/** 0: no limit. */
interface CallLimits {
	readonly limitKey?: string;
	readonly maxCallsPerHour: number;
	readonly maxCallsPerKey: number;
}

/** What keeps strangers from misusing calls and codes: limits, cooldowns, tokens, and code checks. */
export class CallGuards {
	readonly digest: AccountDigest;
	readonly codeChecks: CodeChecks;
	private readonly pass: string | number;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly access: ServiceAccess,
		private readonly clock: Clock,
		isTool: boolean,
	) {
		this.digest = accountDigest(access);
		this.pass = passOf(context, isTool);
		this.codeChecks = new CodeChecks(context, this.digest, clock, this.pass);
	}

	sealToken(uid: VendorId, phone: PhoneDigits): string | null {
		const expiresAt = Math.floor(this.clock.wallTime() / 1_000) + TOKEN_LIFETIME_SECONDS;
		return sealToken({ uid, phone: String(phone), expiresAt }, this.access.secretKey);
	}

	openToken(token: string) {
		const content = openToken(token, this.access.secretKey, this.clock.wallTime() / 1_000);
		return { ...content, issuedAt: (content.expiresAt - TOKEN_LIFETIME_SECONDS) * 1_000 };
	}

	/** A call that failed counts only if it may have been made. Without an idempotency key, `key` is a new object. */
	async withinLimits<T>(
		{ limitKey, maxCallsPerHour, maxCallsPerKey }: CallLimits,
		key: string | object,
		attempts: LostAttempts,
		start: () => Promise<T>,
	): Promise<T> {
		const node = `${this.context.getWorkflow().id} ${this.context.getNode().id}`;
		// The key first: whoever has used up their own calls is not told about those of others.
		const limits = [
			{
				counter: `${node} ${this.digest('limit key', limitKey ?? '')}`,
				most: limitKey === undefined ? 0 : maxCallsPerKey,
				who: 'This limit key',
				field: 'Max Calls per Hour and Key',
			},
			{ counter: node, most: maxCallsPerHour, who: 'This node', field: 'Max Calls per Hour' },
		].filter(({ most }) => most > 0);
		const claimed: string[] = [];
		const release = () => claimed.forEach((counter) => callsPerHour.release(counter, key));
		for (const { counter, most, who, field } of limits) {
			if (!callsPerHour.claim(counter, key, most, this.clock.now())) {
				release();
				throw new InputError(
					`${who} has reached its limit of calls within an hour, so the call was not started`,
					`“${field}” is ${most}. Raise it, or try again later.`,
				);
			}
			claimed.push(counter);
		}
		return await releasedUnlessMade(start, () => true, attempts, release);
	}

	/** With a key for which the service makes no second call to the number too soon. */
	async withCooldown<T extends { readonly exists: unknown }>(
		phone: PhoneDigits,
		minutes: number,
		attempts: LostAttempts,
		start: (key: string) => Promise<T>,
	): Promise<T> {
		const number = this.digest('cooldown', phone);
		const now = this.clock.wallTime();
		const last = lastCalls.get(number);
		// Absolute, because a clock that was set back must not keep a number from being called.
		const isTooSoon = last !== undefined && Math.abs(now - last.startedAt) < minutes * MINUTE;
		const call = isTooSoon
			? last
			: { key: this.slotKey(phone, minutes), startedAt: now, starts: 0, expiresAt: Infinity };
		call.starts++;
		lastCalls.add(number, call, now);
		const release = () => {
			if (--call.starts === 0 && lastCalls.get(number) === call) lastCalls.delete(number);
		};
		// A call that existed before was made by another process, or by a start that is remembered already.
		const isMade = ({ exists }: T) => exists !== true;
		return await releasedUnlessMade(async () => await start(call.key), isMade, attempts, release);
	}

	/** The same for all starts within a time slot, in every process. Fixed per pass, or a late retry would call again. */
	private slotKey(phone: PhoneDigits, minutes: number): string {
		const { pass } = this;
		// n8n keeps the node's context across retries.
		const memory = this.context.getContext('node');
		const known = isRecord(memory.cooldown) ? memory.cooldown : {};
		const time = known.pass === pass ? Number(known.time) : this.clock.wallTime();
		memory.cooldown = { pass, time };
		const slot = Math.floor(time / (minutes * MINUTE));
		return idempotencyKey([this.digest('cooldown', phone, minutes, slot)]);
	}
}

/** Releases what a call has claimed if it was not made. One that failed may have been. */
async function releasedUnlessMade<T>(
	start: () => Promise<T>,
	isMadeBy: (record: T) => boolean,
	attempts: LostAttempts,
	release: () => void,
): Promise<T> {
	let isMade: boolean | undefined;
	try {
		const record = await start();
		isMade = isMadeBy(record);
		return record;
	} finally {
		if (!(isMade ?? attempts.any)) release();
	}
}

/** Different for each pass of a loop. For a tool always the same, because n8n increases its run index on every retry. */
export const passOf = (context: IExecuteFunctions, isTool: boolean) =>
	isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0));

/** The same when n8n runs a node again, so that requests are repeated. As a UUID v4, which the contract requires. */
export function idempotencyKey(parts: ReadonlyArray<string | number | undefined>): string {
	// JSON keeps ["a", "b"] and ["a,b"] apart; undefined becomes null.
	const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
