import type { IExecuteFunctions } from 'n8n-workflow';

import type { AccountDigest } from '../api/accountDigest';
import { Turns } from '../runtime/turns';

/** What is needed of n8n. */
interface StoreContext {
	readonly helpers: Pick<IExecuteFunctions['helpers'], 'checkProcessedAndRecord'>;
	readonly logger: Pick<IExecuteFunctions['logger'], 'warn'>;
	getWorkflow(): { id?: string };
	getNode(): { id: string };
}

/** What other processes, and this one before a restart, have left of a try. */
export type StoredTry = { readonly slot: number } | 'none' | 'used';

/**
 * n8n keeps the entries of a node in one row of its database and writes the row anew each time, 27 bytes an entry. A
 * call takes at most twice its tries and one, so the row remembers the last 450 calls or more with five tries.
 */
export const MOST_ENTRIES = 5_000;

// n8n reads the row, adds to it and writes it back: two at once would lose one of the two.
const turns = new Turns();

/**
 * The tries of a node, where other processes and a restart see them. Not exact between processes, for the same
 * reason. n8n can only say whether an entry is new while it adds it, so each try has an entry of its own, and a
 * second one beside it that is there already if the code was used before.
 */
export class TriesStore {
	private hasFailed = false;

	constructor(
		private readonly context: StoreContext,
		private readonly digest: AccountDigest,
	) {}

	/** Takes the first try from `slot` on that is free. Where the store fails, this process counts alone. */
	async take(call: string, slot: number, most: number): Promise<StoredTry> {
		return await this.inTurn({ slot }, async () => {
			for (let next = slot; next <= most; next++) {
				const tries = next === slot ? upTo(1, slot) : [next];
				const fresh = await this.record([
					...tries.map((number) => this.tryEntry(call, number)),
					this.usedEntry(call, next),
				]);
				if (!fresh.has(this.tryEntry(call, next))) continue;
				return fresh.has(this.usedEntry(call, next)) ? { slot: next } : 'used';
			}
			return 'none';
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

	private tryEntry(call: string, number: number): string {
		return this.digest('try', call, number);
	}

	private usedEntry(call: string, number: number): string {
		return this.digest('used', call, number);
	}

	/** The entries that were not there before. */
	private async record(entries: string[]): Promise<Set<unknown>> {
		const options = { mode: 'entries', maxEntries: MOST_ENTRIES } as const;
		const { helpers } = this.context;
		return new Set((await helpers.checkProcessedAndRecord(entries, 'node', options)).new);
	}

	private async inTurn<T>(withoutStore: T, task: () => Promise<T>): Promise<T> {
		const row = `${this.context.getWorkflow().id} ${this.context.getNode().id}`;
		try {
			return await turns.take(row, task);
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
