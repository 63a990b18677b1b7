import { ExpiringMap } from '../pacing/expiringMap';
import type { Clock } from '../pacing/time';
import type { AccountDigest } from '../transport/credential';
import type { NodeRow } from './nodeRow';

/** Longer than nearly every cooldown. */
const USE_IS_KNOWN_MS = 24 * 60 * 60 * 1_000;

/**
 * As many as n8n's own Remove Duplicates keeps by default, because a node of that kind with the scope Workflow has the same
 * row, and a smaller one would make it forget.
 */
export const MOST_USE_ENTRIES = 10_000;

/** What a process remembers. */
export class ProcessUses extends ExpiringMap<{ readonly expiresAt: number }> {
	constructor() {
		super(50_000);
	}
}

const thisProcess = new ProcessUses();

/**
 * Calls whose codes were used, in the memory of this process and in a row that Check Code and Start have in common. The row
 * can only be asked by adding to it, so whoever asks adds `asked` together with `used`: a call is used if its row has `used`
 * alone. Whatever processes overwrite of each other, that is never so without a use.
 */
export class UsedCalls {
	constructor(
		/** None in manual runs. */
		private readonly row: NodeRow | undefined,
		private readonly digest: AccountDigest,
		private readonly clock: Pick<Clock, 'wallTime'>,
		private readonly process = thisProcess,
	) {}

	async add(vendorId: unknown): Promise<void> {
		const { row } = this;
		const { used, asked } = this.entriesOf(vendorId);
		this.remember(used);
		await row?.inTurn(undefined, async () => {
			const isFirst = (await row.add([used])).has(used);
			this.forgetLater(row, [used]);
			if (!isFirst) await row.remove([asked]);
		});
	}

	async has(vendorId: unknown): Promise<boolean> {
		const { row } = this;
		const { used, asked } = this.entriesOf(vendorId);
		if (this.process.find(used, this.clock.wallTime()) !== undefined) return true;
		if (row === undefined) return false;
		return await row.inTurn(false, async () => {
			// The oldest entries of a full row go first, and `asked` must not go before `used`.
			const fresh = await row.add([used, asked]);
			if (fresh.has(used)) this.forgetLater(row, [used, asked]);
			if (fresh.has(used) || !fresh.has(asked)) return false;
			await row.remove([asked]);
			this.remember(used);
			return true;
		});
	}

	private remember(used: string): void {
		const now = this.clock.wallTime();
		this.process.add(used, { expiresAt: now + USE_IS_KNOWN_MS }, now);
	}

	private forgetLater(row: NodeRow, entries: string[]): void {
		row.forgetAfter(this.clock.wallTime() + USE_IS_KNOWN_MS, entries);
	}

	/** Another account may have a call with the same ID. */
	private entriesOf(vendorId: unknown) {
		const id = String(vendorId);
		return { used: this.digest('used', id), asked: this.digest('asked', id) };
	}
}
