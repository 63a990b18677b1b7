import type { IExecuteFunctions } from 'n8n-workflow';

import { Mutex } from '../pacing/time';
import type { AccountDigest } from '../transport/credential';

/** The number of an attempt as all processes see it, or why there is none. */
type StoredAttempt = number | 'none' | 'used';

/**
 * n8n keeps the entries of a node in one database row and rewrites it each time, 27 bytes per entry. A call needs at
 * most three times its attempts plus one, so with five attempts the row holds the last 310 calls or more.
 */
export const MOST_ENTRIES = 5_000;

const OPTIONS = { mode: 'entries', maxEntries: MOST_ENTRIES } as const;

// n8n reads the row, adds to it and writes it back, so two writes at once lose one: between processes, they still may.
const mutex = new Mutex();

/**
 * Stores the attempts of a node where other processes see them, even after a restart. n8n can only tell whether an
 * entry is new by adding it, so each attempt has its own entry, and a second one that exists if the code was used.
 */
export class AttemptStore {
	private hasFailed = false;

	constructor(
		private readonly context: Pick<
			IExecuteFunctions,
			'helpers' | 'logger' | 'getWorkflow' | 'getNode'
		>,
		private readonly digest: AccountDigest,
	) {}

	/** Takes the first free attempt from number `first` on. If the store fails, this process counts alone. */
	async take(call: string, first: number, most: number): Promise<StoredAttempt> {
		return await this.firstFree(call, first, most, (number) => [this.entry('used', call, number)]);
	}

	/** False if another process was first. */
	async use(call: string, number: number, most: number): Promise<boolean> {
		const used = this.entry('used', call, 0);
		return await this.inTurn(true, async () => {
			const later = upTo(number + 1, most).map((other) => this.entry('used', call, other));
			return (await this.record([used, ...later])).has(used);
		});
	}

	/** Takes the first free wrong code of a number's day from number `first` on. */
	async takeWrong(day: string, first: number, most: number): Promise<StoredAttempt> {
		return await this.firstFree(day, first, most, () => []);
	}

	/** The code was right after all. */
	async giveBackWrong(day: string, number: number): Promise<void> {
		await this.inTurn(undefined, async () => {
			await this.context.helpers.removeProcessed([this.entry('try', day, number)], 'node', OPTIONS);
		});
	}

	/** Whether the row may have lost entries. */
	async isFull(): Promise<boolean> {
		return await this.inTurn(false, async () => {
			return (await this.context.helpers.getProcessedDataCount('node', OPTIONS)) >= MOST_ENTRIES;
		});
	}

	/** `marks` are entries that exist only if the code was used. */
	private async firstFree(
		counter: string,
		first: number,
		most: number,
		marks: (number: number) => string[],
	): Promise<StoredAttempt> {
		return await this.inTurn<StoredAttempt>(first, async () => {
			for (let number = first; number <= most; number++) {
				// What this process has counted alone is added first.
				const tries = upTo(number === first ? 1 : number, number);
				const entries = tries.map((each) => this.entry('try', counter, each));
				const fresh = await this.record([...entries, ...marks(number)]);
				if (!fresh.has(this.entry('try', counter, number))) continue;
				return marks(number).every((mark) => fresh.has(mark)) ? number : 'used';
			}
			return 'none';
		});
	}

	private entry(kind: 'try' | 'used', counter: string, number: number): string {
		return this.digest(kind, counter, number);
	}

	/** The entries that were not there before. */
	private async record(entries: string[]): Promise<Set<unknown>> {
		const { helpers } = this.context;
		return new Set((await helpers.checkProcessedAndRecord(entries, 'node', OPTIONS)).new);
	}

	private async inTurn<T>(withoutStore: T, task: () => Promise<T>): Promise<T> {
		const row = `${this.context.getWorkflow().id} ${this.context.getNode().id}`;
		try {
			return await mutex.run(row, task);
		} catch {
			if (!this.hasFailed) {
				this.context.logger.warn(
					'Code attempts could not be stored in n8n’s database. Until this works again, each n8n process counts separately.',
				);
			}
			this.hasFailed = true;
			return withoutStore;
		}
	}
}

function upTo(first: number, last: number): number[] {
	return Array.from({ length: Math.max(0, last - first + 1) }, (_none, index) => first + index);
}
