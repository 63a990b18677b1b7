import type { IExecuteFunctions } from 'n8n-workflow';

import type { ExpiringMap } from '../pacing/expiringMap';
import { Mutex } from '../pacing/time';
import type { AccountDigest } from '../transport/credential';

/** What this process has counted. Only compared codes count, so nobody can fill its memory with invented calls. */
export interface CountedAttempts {
	tried: number;
	/** Whether a code has matched. */
	isUsed: boolean;
	/** Milliseconds since the Unix epoch. */
	readonly expiresAt: number;
}

/**
 * Attempts at the code of a call, which works only once, or at all codes of a number on one day. Counted in this
 * process, and in a row for all of them. n8n can only tell whether an entry of the row is new by adding it, so each
 * attempt has its own entry, and at a call a second one that exists if the code was used.
 */
export class CodeAttempts {
	/** That of the last one, as all processes see it once it is stored. */
	private number = 0;
	private isStored = false;

	constructor(
		private readonly inProcess: ExpiringMap<CountedAttempts>,
		private readonly row: AttemptRow,
		private readonly of: 'call' | 'day',
		/** A fingerprint of the call, or of the number and the day. */
		private readonly id: string,
		/** 0: no limit. */
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
			return (await this.row.add([...used, ...later])).has(used[0]);
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
			const fresh = await this.row.add([...tries, ...marks]);
			if (!fresh.has(tries.at(-1))) continue;
			return marks.every((mark) => fresh.has(mark)) ? number : 'used';
		}
		return 'none';
	}

	private entries(kind: 'try' | 'used', first: number, last = first): string[] {
		const length = Math.max(0, last - first + 1);
		return Array.from({ length }, (_none, index) => this.row.digest(kind, this.id, first + index));
	}
}

/**
 * n8n keeps the entries of a node in one database row and rewrites it each time, 27 bytes per entry. A call needs at
 * most three times its attempts plus one, so with five attempts the row holds the last 310 calls or more.
 */
export const MOST_ENTRIES = 5_000;

const OPTIONS = { mode: 'entries', maxEntries: MOST_ENTRIES } as const;

// n8n reads the row, adds to it and writes it back, so two writes at once lose one: between processes, they still may.
const mutex = new Mutex();

/** The row of a node, which all processes see, even after a restart. */
export class AttemptRow {
	private hasFailed = false;

	constructor(
		private readonly context: IExecuteFunctions,
		readonly digest: AccountDigest,
	) {}

	/** Returns the entries that were not there before. */
	async add(entries: string[]): Promise<Set<unknown>> {
		const { helpers } = this.context;
		return new Set((await helpers.checkProcessedAndRecord(entries, 'node', OPTIONS)).new);
	}

	async remove(entries: string[]): Promise<void> {
		await this.context.helpers.removeProcessed(entries, 'node', OPTIONS);
	}

	/** Whether it may have lost entries. */
	async isFull(): Promise<boolean> {
		const { helpers } = this.context;
		const count = async () => await helpers.getProcessedDataCount('node', OPTIONS);
		return (await this.inTurn(0, count)) >= MOST_ENTRIES;
	}

	/** If the row cannot be used, this process counts alone. */
	async inTurn<T>(withoutRow: T, task: () => Promise<T>): Promise<T> {
		const row = `${this.context.getWorkflow().id} ${this.context.getNode().id}`;
		try {
			return await mutex.run(row, task);
		} catch {
			const warning =
				'Code attempts could not be stored in n8n’s database. Until this works again, each n8n process counts separately.';
			if (!this.hasFailed) this.context.logger.warn(warning);
			this.hasFailed = true;
			return withoutRow;
		}
	}
}
