import type { Clock } from './clock';

/** Well below the 100 ms at which people notice that n8n has stopped answering. */
const LONGEST_STRETCH_MS = 10;

/**
 * Lets n8n answer others between two pieces of our work. Measured in time and not in pieces: a piece can be an expensive
 * expression or a result that is already there, and pausing after each of the latter would take longer than the work.
 */
export class Breather {
	private lastBreath: number;
	private breath: Promise<void> | undefined;

	constructor(private readonly clock: Pick<Clock, 'now' | 'sleep'>) {
		this.lastBreath = clock.now();
	}

	/** To be asked right before the work: whoever does something else in between lets others use up the time. */
	get isDue(): boolean {
		return this.clock.now() - this.lastBreath >= LONGEST_STRETCH_MS;
	}

	async breathe(): Promise<void> {
		// One breath for all: many at once would end at once, with no room for anybody between them.
		this.breath ??= this.takeBreath();
		await this.breath;
	}

	private async takeBreath(): Promise<void> {
		await this.clock.sleep(0);
		this.lastBreath = this.clock.now();
		this.breath = undefined;
	}
}
