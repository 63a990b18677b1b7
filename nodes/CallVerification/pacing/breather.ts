import type { Clock } from './clock';

/** Well below the 100 ms at which people notice a delay. */
const LONGEST_STRETCH_MS = 10;

/**
 * Lets n8n do other work in between. Measured in time, not in pieces of work: a piece can be an expensive expression or
 * a result that is already there, and pausing after each of the latter would take longer than the work.
 */
export class Breather {
	private lastBreath: number;
	private breath: Promise<void> | undefined;

	constructor(private readonly clock: Pick<Clock, 'now' | 'sleep'>) {
		this.lastBreath = clock.now();
	}

	/** Check this right before the work, or others may use up the time in between. */
	get isDue(): boolean {
		return this.clock.now() - this.lastBreath >= LONGEST_STRETCH_MS;
	}

	async breathe(): Promise<void> {
		// Shared by all, because many pauses would end at the same time and leave no room in between.
		this.breath ??= this.takeBreath();
		await this.breath;
	}

	private async takeBreath(): Promise<void> {
		await this.clock.sleep(0);
		this.lastBreath = this.clock.now();
		this.breath = undefined;
	}
}
