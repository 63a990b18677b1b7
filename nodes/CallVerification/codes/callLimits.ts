import { randomUUID } from 'node:crypto';

import type { LostAttempts } from '../pacing/retry';
import type { Clock } from '../pacing/time';
import type { AccountDigest } from '../transport/credential';
import type { NodeRow } from './nodeRow';
import { processCounts } from './processMemory';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Room for the limits of about 2,000 calls a day. n8n rewrites the row each time, 27 bytes per entry. */
export const MOST_LIMIT_ENTRIES = 10_000;

/** A larger limit is kept by each process alone: its calls would need most of the row. */
const MOST_SHARED = 1_000;

/** Seats that are tried one by one. Then all others at once, which others may for a moment take for taken. */
const SINGLE_TRIES = 8;

/** Of trying again because another process has overwritten the row. */
const MOST_ROUNDS = 20;

interface Period {
	readonly length: number;
	/** How many parts it has in the row; 0 if it does not begin with the call, but is the same for all, like a day. */
	readonly parts: number;
}

export const AN_HOUR: Period = { length: HOUR, parts: 6 };
/** In UTC. */
export const A_DAY: Period = { length: DAY, parts: 0 };
export const ofMinutes = (count: number): Period => ({ length: count * MINUTE, parts: 6 });

const partLength = ({ length, parts }: Period) => length / Math.max(1, parts);

/** When a call no longer counts: at the end of a part, so up to one part later than the period. */
export const endOf = (period: Period, startedAt: number) =>
	(Math.floor(startedAt / partLength(period)) + period.parts + 1) * partLength(period);

export interface Limit {
	/** What is counted, as a fingerprint. */
	readonly id: string;
	readonly most: number;
	readonly period: Period;
}

/**
 * One of as many as a limit allows, taken until its call no longer counts. The row cannot tell when an entry was added, so
 * a seat has an entry in each part of the period that follows, and is free if that of the current part is new.
 */
export class Seat {
	private readonly first: number;
	private readonly part: number;
	private tried = 0;
	private taken: number | undefined;
	/** Of each write, because that of an earlier one may be there when the last one is lost. */
	readonly marks: string[] = [];

	constructor(
		readonly limit: Limit,
		private readonly now: number,
		/** From 0 up to, but not including, 1: which to try first, so that processes seldom try the same one. */
		random: number,
	) {
		this.first = Math.floor(random * limit.most);
		this.part = Math.floor(now / partLength(limit.period));
	}

	get until(): number {
		return endOf(this.limit.period, this.now);
	}

	/** Of the seat that is taken, now and later. */
	get entries(): string[] {
		return this.taken === undefined ? [] : this.entriesOf(this.taken);
	}

	/** Takes one whether or not it is free. */
	claim(): string[] {
		this.taken = this.first;
		return this.entries;
	}

	/** That of the write that took the seat. */
	get mark(): string {
		return this.marks.at(-1) ?? '';
	}

	/** False if all are taken. */
	async take(row: NodeRow, newMark: () => string): Promise<boolean> {
		while (this.taken === undefined) {
			const seats = this.nextToTry();
			if (seats.length === 0) return false;
			const mark = newMark();
			this.marks.push(mark);
			const fresh = await row.add([mark, ...seats.map((seat) => this.entryOf(seat, this.part))]);
			const [free, ...others] = seats.filter((seat) => fresh.has(this.entryOf(seat, this.part)));
			if (others.length > 0) await row.remove(others.map((seat) => this.entryOf(seat, this.part)));
			this.taken = free;
		}
		return true;
	}

	/** Somebody else has it, so another one has to be taken. */
	lose(): void {
		this.taken = undefined;
	}

	private nextToTry(): number[] {
		const { most } = this.limit;
		const from = this.tried;
		this.tried = from < SINGLE_TRIES ? Math.min(from + 1, most) : most;
		const length = this.tried - from;
		return Array.from({ length }, (_none, index) => (this.first + from + index) % most);
	}

	private entriesOf(seat: number): string[] {
		const parts = Array.from({ length: this.limit.period.parts + 1 }, (_none, index) => index);
		return parts.map((part) => this.entryOf(seat, this.part + part));
	}

	private readonly entryOf = (seat: number, part: number) => `${this.limit.id} ${part} ${seat}`;
}

interface Claim<Kind> {
	/** The limit that is reached, so that the call must not be started. */
	readonly refusedBy?: Kind;
	/** The call was not made. */
	readonly release: () => Promise<void>;
}

/** How many calls a node makes, counted in this process, and in the node's row for all processes. */
export class CallLimits {
	constructor(
		private readonly node: string,
		/** None in manual runs. */
		private readonly row: NodeRow | undefined,
		private readonly digest: AccountDigest,
		private readonly clock: Clock,
		private readonly random: () => number,
		private readonly process = processCounts,
	) {}

	/** Without an idempotency key, `call` is a new object. */
	async claim<Kind extends Limit>(
		limits: readonly Kind[],
		call: string | object,
	): Promise<Claim<Kind>> {
		const { calls } = this.process;
		const claimed: Kind[] = [];
		const releaseHere = () =>
			claimed.forEach((limit) => calls.release(this.counterOf(limit), call));
		for (const limit of limits) {
			if (!calls.claim(this.counterOf(limit), call, limit, this.clock.now())) {
				releaseHere();
				return { refusedBy: limit, release: async () => {} };
			}
			claimed.push(limit);
		}
		const { refusedBy, release } = await this.claimForAll(limits, call);
		if (refusedBy !== undefined) releaseHere();
		return {
			refusedBy,
			release: async () => {
				releaseHere();
				await release();
			},
		};
	}

	private async claimForAll<Kind extends Limit>(
		limits: readonly Kind[],
		call: string | object,
	): Promise<Claim<Kind>> {
		const { row } = this;
		const nothing = { release: async () => {} };
		const shared = limits.filter(({ most }) => most <= MOST_SHARED);
		if (row === undefined || shared.length === 0) return nothing;
		const mark = this.digest('call', typeof call === 'string' ? call : randomUUID());
		const now = this.clock.wallTime();
		const seats = shared.map((limit) => new Seat(limit, now, this.random()));
		const entries = () => [mark, ...seats.flatMap((seat) => [...seat.marks, ...seat.entries])];

		return await row.inTurn<Claim<Kind>>(nothing, async () => {
			// A start that is repeated, perhaps by another process, counts already.
			if (!(await row.add([mark])).has(mark)) return nothing;
			const full = await this.takeAll(row, seats, mark);
			if (full !== undefined) {
				await row.remove(entries());
				const refusedBy = shared[seats.indexOf(full)];
				return { ...nothing, refusedBy };
			}
			for (const seat of seats) row.forgetAfter(seat.until, seat.entries);
			row.forgetAfter(
				now,
				seats.flatMap(({ marks }) => marks),
			);
			row.forgetAfter(now + DAY, [mark]);
			return {
				release: async () => {
					for (const limit of shared) this.process.usedUp.delete(this.seatsOf(limit));
					await row.inTurn(undefined, async () => await row.remove(entries()));
				},
			};
		});
	}

	/** Returns the first that cannot be had. */
	private async takeAll(row: NodeRow, seats: Seat[], mark: string): Promise<Seat | undefined> {
		const { usedUp } = this.process;
		const now = this.clock.wallTime();
		for (let round = 0; round < MOST_ROUNDS; round++) {
			for (const seat of seats) {
				const all = this.seatsOf(seat.limit);
				if (usedUp.find(all, now) !== undefined) return seat;
				if (await seat.take(row, () => this.digest('mark', randomUUID()))) continue;
				usedUp.add(all, { expiresAt: now + seat.limit.period.length / 60 }, now);
				return seat;
			}
			const marks = [mark, ...seats.map((seat) => seat.mark)];
			const entries = seats.flatMap((seat) => seat.entries);
			const missing = await row.confirm(marks, entries);
			if (missing === undefined) return undefined;
			// What another process has written over ours is not missing, and not ours.
			for (const seat of seats) {
				if (missing.has(seat.mark) && !missing.has(seat.entries[0])) seat.lose();
			}
		}
		return undefined;
	}

	private readonly counterOf = ({ id }: Limit) => `${this.node} ${id}`;

	/** With their number, so that a limit that was raised has room at once. */
	private readonly seatsOf = (limit: Limit) => `${this.counterOf(limit)} ${limit.most}`;
}

/** Releases what a call has claimed if it failed and was not made. */
export async function releasedUnlessMade<T>(
	start: () => Promise<T>,
	attempts: LostAttempts,
	release: () => Promise<void>,
): Promise<T> {
	let hasFailed = true;
	try {
		const record = await start();
		hasFailed = false;
		return record;
	} finally {
		if (hasFailed && !attempts.any) await release();
	}
}
