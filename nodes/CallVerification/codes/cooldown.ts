import type { IContextObject } from 'n8n-workflow';

import { isRecord } from '../contract/fields';
import { ExpiringMap } from '../pacing/expiringMap';
import type { LostAttempts } from '../pacing/retry';
import { type Clock, Mutex } from '../pacing/time';
import type { AccountDigest } from '../transport/credential';
import { idempotencyKey } from './call';
import { endOf, ofMinutes, releasedUnlessMade, Seat } from './callLimits';
import type { NodeRow } from './nodeRow';
import type { UsedCalls } from './usedCalls';

/** The last call to a number by one kind of delivery. */
interface LastCall {
	/** Fingerprint of the time slot that its key follows from. */
	readonly slot: string;
	/** Calls of the same slot before it, which were allowed because the code of each had been used. */
	readonly earlier: number;
	/** Milliseconds since the Unix epoch; undefined if another process has made it. */
	startedAt: number | undefined;
	/** Starts that made the call, or still may. */
	starts: number;
	/** What this process has added to the row for it. */
	readonly entries: string[];
	readonly expiresAt: number;
}

/** What a process remembers. */
export class ProcessCalls {
	readonly last = new ExpiringMap<LastCall>(50_000);
	readonly turns = new Mutex();
}

const thisProcess = new ProcessCalls();

const MINUTE = 60_000;

/**
 * Whoever calls a number again too soon gets the idempotency key of its last call, for which the service makes no new one.
 * The key follows from the time slot of that call, so all processes know it. As the call may have been at the end of the
 * slot before, the memory of this process and the node's row tell how long ago it was.
 */
export class Cooldown {
	constructor(
		/** None in manual runs. */
		private readonly row: NodeRow | undefined,
		private readonly usedCalls: UsedCalls,
		private readonly digest: AccountDigest,
		private readonly clock: Pick<Clock, 'wallTime'>,
		/** The memory of an execution, which n8n keeps across retries, and the pass of a loop. */
		private readonly execution: { readonly memory: IContextObject; readonly pass: string | number },
		private readonly process = thisProcess,
	) {}

	/** The person has got the call, so there is no reason to let them wait for another one. */
	async end(vendorId: unknown): Promise<void> {
		await this.usedCalls.add(vendorId);
	}

	/**
	 * @param number A fingerprint of the number and the delivery.
	 * @returns The call, and when it was started, in milliseconds since the Unix epoch, if this process knows.
	 */
	async start<Made extends { readonly exists: unknown; readonly vendor_id: unknown }>(
		number: string,
		minutes: number,
		attempts: LostAttempts,
		send: (key: string) => Promise<Made>,
	): Promise<{ readonly record: Made; readonly startedAt: number | undefined }> {
		const { last } = this.process;
		let usedCall: LastCall | undefined;
		let usedId: unknown;
		for (;;) {
			const call = await this.callFor(number, minutes, usedCall);
			/** Whether no other start makes the call either. */
			const forget = () => {
				if (--call.starts > 0) return false;
				if (last.get(number) === call) last.delete(number);
				return true;
			};
			const release = async () => {
				if (forget()) await this.remove(call.entries);
			};
			const key = idempotencyKey(call.earlier === 0 ? [call.slot] : [call.slot, call.earlier]);
			const request = async () => await send(key);
			const record = await releasedUnlessMade(request, attempts, release);
			if (record.exists !== true) {
				call.startedAt ??= this.clock.wallTime();
				return { record, startedAt: call.startedAt };
			}
			// Made by another process, or by a start that is remembered already. Either way, it counts in the row.
			const isUnknown = forget();
			// A service that answers another key with the same call would do so for ever.
			const isRepeated = record.vendor_id === usedId;
			if (isRepeated || !(await this.usedCalls.has(record.vendor_id))) {
				return { record, startedAt: isUnknown ? undefined : call.startedAt };
			}
			usedCall = call;
			usedId = record.vendor_id;
		}
	}

	/** The last one if it is too soon for another one, or one that is new. `usedCall` is none that anybody waits for. */
	private async callFor(number: string, minutes: number, usedCall?: LastCall): Promise<LastCall> {
		const { last: lastCalls, turns } = this.process;
		return await turns.run(number, async () => {
			const now = this.clock.wallTime();
			const last = lastCalls.get(number);
			const isLast = last !== undefined && last !== usedCall && isTooSoon(last, minutes, now);
			const call = isLast ? last : await this.newCall(number, minutes, usedCall);
			call.starts++;
			lastCalls.add(number, call, now);
			return call;
		});
	}

	private async newCall(number: string, minutes: number, usedCall?: LastCall): Promise<LastCall> {
		const { row } = this;
		const now = this.clock.wallTime();
		const slotAt = (time: number) => Math.floor(time / (minutes * MINUTE));
		const fingerprint = (slot: number) => this.digest('cooldown', number, minutes, slot);
		const current = fingerprint(slotAt(now));
		// That of the first try, or a retry in a later slot would call again.
		const ofPass = fingerprint(slotAt(this.timeOfPass(now)));
		const slot = usedCall === undefined ? ofPass : current;
		const earlier = usedCall?.slot === slot ? usedCall.earlier + 1 : 0;
		const call = { slot, earlier, startedAt: now, starts: 0, entries: [], expiresAt: Infinity };
		if (row === undefined) return call;

		return await row.inTurn<LastCall>(call, async () => {
			const seat = new Seat({ id: number, most: 1, period: ofMinutes(minutes) }, now, 0);
			const entries = [...seat.claim(), slot];
			const [ofThisMoment = ''] = entries;
			if (usedCall !== undefined) {
				const next = { ...call, slot: usedCall.slot, earlier: usedCall.earlier + 1 };
				// Another process may have called the number again at the end of the slot before.
				if (usedCall.slot !== slot && (await this.firstKnown(row, [this.laterCall(next)]))) {
					return { ...next, startedAt: undefined };
				}
				if (earlier > 0) entries.push(this.laterCall(next));
			}
			// Together, so that whoever finds the one finds the other, too.
			const fresh = await row.add([ofThisMoment, slot]);
			if (fresh.has(ofThisMoment) || usedCall !== undefined) {
				await row.add(entries);
				row.forgetAfter(seat.until + minutes * MINUTE, entries);
				return { ...call, entries };
			}
			if (fresh.has(slot)) await row.remove([slot]);
			// Another process has called the number, in this slot or in the one before.
			const known = await this.firstKnown(row, [...new Set([ofPass, current])]);
			const lastSlot = known ?? fingerprint(slotAt(now) - 1);
			return { ...call, slot: lastSlot, startedAt: undefined };
		});
	}

	/** Looks again if it finds one: another process may be looking at the same time. */
	private async firstKnown(row: NodeRow, slots: string[]): Promise<string | undefined> {
		const known = await lookFor(row, slots);
		if (known === undefined) return undefined;
		await row.letOthersWrite();
		return await lookFor(row, slots);
	}

	/** The entry of a call that is not the first one of its slot. */
	private laterCall({ slot, earlier }: LastCall): string {
		return this.digest('later call', slot, earlier);
	}

	private async remove(entries: string[]): Promise<void> {
		const { row } = this;
		if (row === undefined || entries.length === 0) return;
		await row.inTurn(undefined, async () => await row.remove(entries));
	}

	private timeOfPass(now: number): number {
		const { memory, pass } = this.execution;
		const known = isRecord(memory.cooldown) ? memory.cooldown : {};
		const time = known.pass === pass ? Number(known.time) : now;
		memory.cooldown = { pass, time };
		return time;
	}
}

/** Absolute, because a clock that was set back must not keep a number from being called. */
function isTooSoon({ startedAt }: LastCall, minutes: number, now: number): boolean {
	if (startedAt === undefined) return true;
	return Math.abs(now - startedAt) < endOf(ofMinutes(minutes), startedAt) - startedAt;
}

/** The row only tells what is new by adding it. */
async function lookFor(row: NodeRow, slots: string[]): Promise<string | undefined> {
	const fresh = await row.add(slots);
	const added = slots.filter((slot) => fresh.has(slot));
	if (added.length > 0) await row.remove(added);
	return slots.find((slot) => !fresh.has(slot));
}
