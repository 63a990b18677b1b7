import { randomUUID } from 'node:crypto';

import type { IContextObject, IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../pacing/time';
import type { ExpiringMap } from '../pacing/expiringMap';
import type { AccountDigest } from '../transport/credential';
import { isRecord } from '../contract/fields';
import { isTypedCodeRight } from './call';
import { NodeRow } from './nodeRow';
import { type CountedAttempts, processAttempts } from './processMemory';

/** Why a code is not compared. */
export type Obstacle = 'callFailed' | 'expired';
type Reason = Obstacle | 'wrongCode' | 'alreadyUsed' | 'tooManyAttempts' | 'tooManyToday';
type Verdict = ReturnType<typeof verdictOf>;

/** Fingerprints of the call and of the number. A limit of 0 is none. Times are in milliseconds since the Unix epoch. */
export interface CodeCheck {
	readonly call: string;
	readonly actual: string;
	readonly typed: string;
	readonly obstacle: Obstacle | undefined;
	readonly maxAttempts: number;
	readonly phone: string | undefined;
	readonly maxWrongPerDay: number;
	readonly startedAt: number | undefined;
	readonly expiresAt: number;
}

/** Attempts and uses are remembered for at least a day, because other nodes may accept older codes. */
const DAY = 24 * 60 * 60 * 1_000;

/** With any other reason, the attempt is given back: the code was not compared, or it was not wrong. */
const COUNTED: ReadonlyArray<Reason | null> = [null, 'wrongCode', 'tooManyAttempts'];
const COUNTED_TODAY: ReadonlyArray<Reason | null> = ['wrongCode', 'tooManyToday'];

/** A call with five attempts needs up to 21, so 470 calls fit. n8n rewrites the row each time, 27 bytes per entry. */
export const MOST_ENTRIES = 10_000;

/** Per execution: an endless loop must not fill n8n's database. */
const MOST_VERDICTS = 10_000;

/** Checks that run at the moment, by the memory of their node: the same check waits for the first. */
const inFlight = new WeakMap<object, Map<string, Promise<Verdict>>>();

/** Undefined if wrong codes for the number are not limited. */
type WrongToday = CodeAttempts | undefined;

/** Compares codes, and limits the attempts per call and the wrong codes per number and day. */
export class CodeChecks {
	private readonly row: NodeRow;
	/** The node's context, which n8n keeps across retries of an execution, and stores with a failed one. */
	private readonly memory: IContextObject;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly digest: AccountDigest,
		private readonly clock: Clock,
		random: () => number,
		private readonly pass: string | number,
		private readonly process = processAttempts,
	) {
		this.row = new NodeRow(context, clock, random, {
			capacity: MOST_ENTRIES,
			counts: 'Code attempts',
			scope: 'node',
		});
		this.memory = context.getContext('node');
	}

	async check(check: CodeCheck): Promise<Verdict> {
		// Manual executions have no limit: whoever can edit the workflow can read the code anyway.
		if (this.context.getMode() === 'manual') {
			return verdictOf(check.obstacle ?? compared(check), check.maxAttempts || Infinity);
		}
		// n8n runs the whole node again if one item fails, so known results are reused.
		const id = this.digest('verdict', this.pass, check.call, check.typed);
		const known = verdictsIn(this.memory)[id];
		if (known !== undefined) return known;

		const running = inFlight.get(this.memory) ?? new Map<string, Promise<Verdict>>();
		inFlight.set(this.memory, running);
		const verdict = running.get(id) ?? this.decide(check, id);
		running.set(id, verdict);
		return await verdict.finally(() => running.delete(id));
	}

	private async decide(check: CodeCheck, id: string): Promise<Verdict> {
		const { memory, process, row, digest } = this;
		const tries = new CodeAttempts(
			process.calls,
			row,
			digest,
			'call',
			check.call,
			check.maxAttempts,
		);
		const wrong = this.wrongToday(check);
		const reason = knownReason(check, tries, wrong) ?? (await this.compare(check, tries, wrong));
		const verdict = verdictOf(reason, Math.min(tries.left, wrong?.left ?? Infinity));
		if (reason === null || reason === 'wrongCode') {
			verdictsIn(memory)[id] = verdict;
			memory.codeVerdictCount = Number(memory.codeVerdictCount) + 1;
		}
		return verdict;
	}

	private wrongToday({ phone, maxWrongPerDay }: CodeCheck): WrongToday {
		if (phone === undefined || maxWrongPerDay === 0) return undefined;
		const day = this.digest('wrong', phone, Math.floor(this.clock.wallTime() / DAY));
		return new CodeAttempts(this.process.days, this.row, this.digest, 'day', day, maxWrongPerDay);
	}

	private async compare(check: CodeCheck, tries: CodeAttempts, wrong: WrongToday) {
		const now = this.clock.wallTime();
		// Taken before the first await, so that simultaneous checks get no extra attempts.
		tries.take(Math.max(check.expiresAt, now + DAY), now);
		wrong?.take(now + DAY, now);

		const reason = await this.compareStored(check, tries, wrong);
		if (!COUNTED.includes(reason)) await tries.giveBack();
		if (!COUNTED_TODAY.includes(reason)) await wrong?.giveBack();
		return reason;
	}

	private async compareStored(check: CodeCheck, tries: CodeAttempts, wrong: WrongToday) {
		const isOlder = (check.startedAt ?? 0) < this.process.countingSince;
		// Only the row knows attempts from before this process, and if it is full, it may have lost them.
		if (isOlder && (await this.row.isFull())) return 'expired';
		const stored = await tries.store();
		if (stored === 'none') return 'tooManyAttempts';
		if ((await wrong?.store()) === 'none') return 'tooManyToday';
		// The process may have forgotten the call meanwhile.
		if (stored === 'used' || tries.isUsed) return 'alreadyUsed';
		if (compared(check) === 'wrongCode') return 'wrongCode';
		return (await tries.use()) ? null : 'alreadyUsed';
	}
}

/** As far as this process knows. */
function knownReason({ obstacle }: CodeCheck, tries: CodeAttempts, wrong: WrongToday) {
	if (tries.left === 0) return 'tooManyAttempts';
	if (wrong?.left === 0) return 'tooManyToday';
	return tries.isUsed ? 'alreadyUsed' : obstacle;
}

const compared = ({ actual, typed }: CodeCheck) =>
	isTypedCodeRight(actual, typed) ? null : 'wrongCode';

/** No reason if the code matched. */
function verdictOf(reason: Reason | null, left: number) {
	return { reason, attempts_left: left === Infinity ? null : left };
}

function verdictsIn(memory: IContextObject): Record<string, Verdict | undefined> {
	if (!isRecord(memory.codeVerdicts) || Number(memory.codeVerdictCount) >= MOST_VERDICTS) {
		memory.codeVerdicts = {};
		memory.codeVerdictCount = 0;
	}
	return memory.codeVerdicts as Record<string, Verdict | undefined>;
}

/**
 * Attempts at the code of a call, which works only once, or at all codes of a number on one day. Counted in this
 * process, and in a row for all of them. n8n can only tell whether an entry of the row is new by adding it, so each
 * attempt has its own entry, and at a call a second one that exists if the code was used.
 */
class CodeAttempts {
	/** That of the last one, as all processes see it once it is stored. */
	private number = 0;
	private isStored = false;

	constructor(
		private readonly inProcess: ExpiringMap<CountedAttempts>,
		private readonly row: NodeRow,
		private readonly digest: AccountDigest,
		private readonly of: 'call' | 'day',
		/** A fingerprint of the call, or of the number and the day. */
		private readonly id: string,
		private readonly most: number,
	) {}

	/** As far as this process knows. */
	get left(): number {
		return this.most === 0 ? Infinity : Math.max(0, this.most - this.counted.tried);
	}

	get isUsed(): boolean {
		return this.counted.isUsed;
	}

	/** Takes the next one. Synchronous, so that simultaneous checks get no extra attempts. */
	take(keepUntil: number, now: number): void {
		const { tried, isUsed, expiresAt } = this.counted;
		this.number = tried + 1;
		const counted = { tried: this.number, isUsed, expiresAt: Math.max(keepUntil, expiresAt) };
		this.inProcess.add(this.id, counted, now);
	}

	/** Takes it in the row, too, where other processes may have used up the attempts or the code. */
	async store(): Promise<number | 'none' | 'used'> {
		const { number, most } = this;
		if (most === 0) return number;
		const stored = await this.row.inTurn(number, async () => await this.firstFree());
		if (stored === 'used') {
			this.counted.isUsed = true;
		} else {
			this.isStored = stored !== 'none';
			this.number = stored === 'none' ? most : stored;
			this.counted.tried = Math.max(this.counted.tried, this.number);
		}
		return stored;
	}

	/** The code was right. False if another process was first. */
	async use(): Promise<boolean> {
		this.counted.isUsed = true;
		return await this.row.inTurn(true, async () => {
			const used = this.entries('used', 0);
			const later = this.entries('used', this.number + 1, this.most);
			return (await this.claim([...used, ...later])).has(used[0]);
		});
	}

	/** The last one does not count after all. That of a call stays in the row: its mark would look like a use. */
	async giveBack(): Promise<void> {
		this.counted.tried = Math.max(0, this.counted.tried - 1);
		if (this.of === 'call' || !this.isStored) return;
		const entries = this.entries('try', this.number);
		await this.row.inTurn(undefined, async () => await this.row.remove(entries));
	}

	private get counted(): CountedAttempts {
		return this.inProcess.get(this.id) ?? { tried: 0, isUsed: false, expiresAt: 0 };
	}

	private async firstFree(): Promise<number | 'none' | 'used'> {
		for (let number = this.number; number <= this.most; number++) {
			// What this process has counted alone is added first.
			const tries = this.entries('try', number === this.number ? 1 : number, number);
			const marks = this.of === 'call' ? this.entries('used', number) : [];
			const fresh = await this.claim([...tries, ...marks]);
			if (!fresh.has(tries.at(-1))) continue;
			return marks.every((mark) => fresh.has(mark)) ? number : 'used';
		}
		return 'none';
	}

	/** Returns those that were new, and to this process alone. */
	private async claim(entries: string[]): Promise<Set<unknown>> {
		const mark = this.digest('mark', randomUUID());
		let fresh = await this.row.add([mark, ...entries]);
		for (;;) {
			const missing = await this.row.confirm([mark], entries);
			if (missing === undefined) return fresh;
			fresh = new Set([...fresh].filter((entry) => missing.has(entry)));
		}
	}

	private entries(kind: 'try' | 'used', first: number, last = first): string[] {
		const length = Math.max(0, last - first + 1);
		return Array.from({ length }, (_none, index) => this.digest(kind, this.id, first + index));
	}
}
