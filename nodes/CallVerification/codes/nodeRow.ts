import type { IExecuteFunctions } from 'n8n-workflow';

import { type Clock, Mutex } from '../pacing/time';

// n8n reads a row, adds to it and writes it back, so of two writes at once one is lost. Within a process they take turns.
const turns = new Mutex();

/** For each row, what this process has added and nobody needs any more from some time on. */
const outdated = new Map<string, Array<{ readonly entries: string[]; readonly from: number }>>();

/** Removed together, because each removal rewrites the row. */
const ENTRIES_PER_REMOVAL = 500;

/** What is beyond it is left to n8n, which forgets the oldest entries when a row is full. */
const MOST_REMEMBERED = 2_000;

/** Of waiting to see whether another process has overwritten an entry. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * What all processes of n8n share, even after a restart: a row for each node, or for all nodes of a workflow, in n8n's own
 * store of things seen before. It holds fingerprints, and only tells whether it has one when that is added. When full, it
 * forgets the oldest.
 */
export class NodeRow {
	private readonly key: string;
	private readonly options: { readonly mode: 'entries'; readonly maxEntries: number };
	private hasFailed = false;
	private lastAddTook = 0;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly clock: Pick<Clock, 'now' | 'wallTime' | 'sleep'>,
		private readonly random: () => number,
		private readonly of: {
			readonly capacity: number;
			/** The start of a sentence. */
			readonly counts: string;
			/** Whose row it is. */
			readonly scope: 'node' | 'workflow';
		},
	) {
		const node = of.scope === 'node' ? context.getNode().id : '';
		this.key = `${context.getWorkflow().id} ${node}`;
		this.options = { mode: 'entries', maxEntries: of.capacity };
	}

	/** If the row cannot be used, this process counts alone, and says so once. */
	async inTurn<T>(withoutRow: T, task: () => Promise<T>): Promise<T> {
		try {
			return await turns.run(this.key, async () => {
				await this.removeOutdated();
				return await task();
			});
		} catch {
			this.warnOnce(
				`${this.of.counts} could not be stored in n8n’s database. Until this works again, each n8n process counts separately.`,
			);
			return withoutRow;
		}
	}

	/** Whether it may have lost entries. */
	async isFull(): Promise<boolean> {
		const { helpers } = this.context;
		const count = async () => await helpers.getProcessedDataCount(this.of.scope, this.options);
		return (await this.inTurn(0, count)) >= this.of.capacity;
	}

	/** Returns the entries that were not there before. */
	async add(entries: string[]): Promise<Set<unknown>> {
		const startedAt = this.clock.now();
		const { helpers } = this.context;
		const added = await helpers.checkProcessedAndRecord(entries, this.of.scope, this.options);
		this.lastAddTook = this.clock.now() - startedAt;
		return new Set<unknown>(added.new);
	}

	/** Until then, the entries count. */
	forgetAfter(time: number, entries: string[]): void {
		const known = outdated.get(this.key) ?? [];
		outdated.set(this.key, [...known, { entries, from: time }].slice(-MOST_REMEMBERED));
	}

	async remove(entries: string[]): Promise<void> {
		await this.context.helpers.removeProcessed(entries, this.of.scope, this.options);
	}

	/** Every process that had read the row before has then written it back, unless it takes longer than this one did. */
	async letOthersWrite(): Promise<void> {
		const pause = Math.min(this.lastAddTook * (2 + this.random()), LONGEST_PAUSE_MS);
		if (pause > 0) await this.clock.sleep(Math.ceil(pause));
	}

	/**
	 * Undefined if the entries are still there when others have written. Otherwise they are added again, and those that
	 * were missing are returned: the rest belongs to another process by now. `marks` are entries that no other process
	 * adds, each of which was new in the same write as the entries that it stands for.
	 */
	async confirm(marks: string[], entries: string[]): Promise<Set<unknown> | undefined> {
		await this.letOthersWrite();
		const missing = await this.add([...marks, ...entries]);
		return marks.some((mark) => missing.has(mark)) ? missing : undefined;
	}

	private async removeOutdated(): Promise<void> {
		const now = this.clock.wallTime();
		const known = outdated.get(this.key) ?? [];
		const entries = known.filter(({ from }) => from <= now).flatMap((old) => old.entries);
		if (entries.length < ENTRIES_PER_REMOVAL) return;
		outdated.set(
			this.key,
			known.filter(({ from }) => from > now),
		);
		await this.remove(entries);
	}

	private warnOnce(warning: string): void {
		if (!this.hasFailed) this.context.logger.warn(warning);
		this.hasFailed = true;
	}
}
