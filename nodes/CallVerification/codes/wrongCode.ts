import type { CallAttempts } from './callAttempts';
import type { TriesStore } from './triesStore';

interface Counters {
	readonly attempts: CallAttempts;
	readonly store: Pick<TriesStore, 'takeWrong' | 'giveBackWrong'>;
}

/** The next wrong code for a number on one day. Counted before the code is compared, and given back if it is not wrong. */
export class WrongCode {
	private slot = 0;

	private isTaken = false;

	private isStored = false;

	constructor(
		private readonly counters: Counters,
		/** A fingerprint of the number and the day. */
		private readonly day: string,
		private readonly most: number,
	) {}

	/** How many more may be typed, as far as this process knows. */
	get left(): number {
		return Math.max(0, this.most - this.counters.attempts.of(this.day).tried);
	}

	/** Synchronous, so that simultaneous checks get no extra codes. */
	take(keepUntil: number, now: number): void {
		this.slot = this.counters.attempts.take(this.day, keepUntil, now);
		this.isTaken = true;
	}

	/** False if other processes have used up the day's wrong codes. */
	async store(): Promise<boolean> {
		const { attempts, store } = this.counters;
		const stored = await store.takeWrong(this.day, this.slot, this.most);
		if (stored === 'none') {
			attempts.raise(this.day, this.most);
			this.isTaken = false;
			return false;
		}
		attempts.raise(this.day, stored.slot);
		this.slot = stored.slot;
		this.isStored = true;
		return true;
	}

	async giveBack(): Promise<void> {
		const { attempts, store } = this.counters;
		if (this.isTaken) attempts.giveBack(this.day);
		if (this.isStored) await store.giveBackWrong(this.day, this.slot);
	}
}
