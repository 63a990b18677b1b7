import type { IExecuteFunctions } from 'n8n-workflow';

import type { AccountDigest } from '../transport/credential';
import { Mutex } from '../pacing/pool';

/** The part of n8n that is used. */
interface StoreContext {
	readonly helpers: Pick<
		IExecuteFunctions['helpers'],
		'checkProcessedAndRecord' | 'getProcessedDataCount' | 'removeProcessed'
	>;
	readonly logger: Pick<IExecuteFunctions['logger'], 'warn'>;
	getWorkflow(): { id?: string };
	getNode(): { id: string };
}

/** An attempt as all processes see it: its slot, or why there is none. */
export type StoredTry = { readonly slot: number } | 'none' | 'used';

/**
 * n8n keeps the entries of a node in one database row and rewrites it each time, 27 bytes per entry. A call needs at
 * most three times its attempts plus one, so with five attempts the row holds the last 310 calls or more.
 */
export const MOST_ENTRIES = 5_000;

const OPTIONS = { mode: 'entries', maxEntries: MOST_ENTRIES } as const;

// n8n reads the row, adds to it and writes it back, so two writes at once would lose one.
const mutex = new Mutex();

/**
 * Stores the attempts of a node where other processes see them, even after a restart. Not exact between processes, for
 * the same reason. n8n can only tell whether an entry is new by adding it, so each attempt has its own entry, and a
 * second one that already exists if the code was used before.
 */
export class TriesStore {
	private hasFailed = false;

	constructor(
		private readonly context: StoreContext,
		private readonly digest: AccountDigest,
	) {}

	/** Takes the first free attempt from `slot` on. If the store fails, this process counts alone. */
	async take(call: string, slot: number, most: number): Promise<StoredTry> {
		return await this.inTurn<StoredTry>({ slot }, async () => {
			const taken = await this.firstFree(call, slot, most, (number) => [
				this.usedEntry(call, number),
			]);
			if (taken === undefined) return 'none';
			const isUnused = taken.fresh.has(this.usedEntry(call, taken.slot));
			return isUnused ? { slot: taken.slot } : 'used';
		});
	}

	/** False if another process was first. */
	async use(call: string, slot: number, most: number): Promise<boolean> {
		const used = this.usedEntry(call, 0);
		return await this.inTurn(true, async () => {
			const later = upTo(slot + 1, most).map((number) => this.usedEntry(call, number));
			return (await this.record([used, ...later])).has(used);
		});
	}

	/** Takes the first free wrong code of a number's day from `slot` on. */
	async takeWrong(day: string, slot: number, most: number): Promise<Exclude<StoredTry, 'used'>> {
		return await this.inTurn<Exclude<StoredTry, 'used'>>({ slot }, async () => {
			const taken = await this.firstFree(day, slot, most);
			return taken === undefined ? 'none' : { slot: taken.slot };
		});
	}

	/** The code was right after all. */
	async giveBackWrong(day: string, slot: number): Promise<void> {
		await this.inTurn(undefined, async () => {
			await this.context.helpers.removeProcessed([this.tryEntry(day, slot)], 'node', OPTIONS);
		});
	}

	/** Whether the row may have lost entries. */
	async isFull(): Promise<boolean> {
		return await this.inTurn(false, async () => {
			return (await this.context.helpers.getProcessedDataCount('node', OPTIONS)) >= MOST_ENTRIES;
		});
	}

	private async firstFree(
		counter: string,
		slot: number,
		most: number,
		others: (slot: number) => string[] = () => [],
	): Promise<{ slot: number; fresh: Set<unknown> } | undefined> {
		for (let next = slot; next <= most; next++) {
			// What this process has counted alone is added first.
			const tries = next === slot ? upTo(1, slot) : [next];
			const entries = tries.map((number) => this.tryEntry(counter, number));
			const fresh = await this.record([...entries, ...others(next)]);
			if (fresh.has(this.tryEntry(counter, next))) return { slot: next, fresh };
		}
		return undefined;
	}

	private tryEntry(counter: string, number: number): string {
		return this.digest('try', counter, number);
	}

	private usedEntry(call: string, number: number): string {
		return this.digest('used', call, number);
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
