/** So many refusals among the last hundred answers, or so, may be stray ones that no limit explains. */
const ANSWERS_REMEMBERED = 100;
const MOST_STRAY = 9;
/** With more in flight than has ever gone well, fewer will do as proof of a limit. */
const MOST_STRAY_BEYOND_PROVEN = 3;
/** By chance, so many are alike, none twice as long as another, only once in six thousand times: 8·(7!)²/15!. */
const RUNS_COMPARED = 8;
const NO_LONGER_ALIKE = 2;

/**
 * Some services refuse now and then, whatever the load. Such refusals fall anywhere; those of a limit come when it is
 * used up: many of them, or few, but time and again after about as many requests.
 */
export class StrayRefusals {
	/** Refusals among the last answers; old ones fade. */
	private recent = 0;
	/** How many requests started before each of the last refusals, counted from the one before. */
	private runs: number[] = [];

	answered(refused: boolean): void {
		this.recent *= 1 - 1 / ANSWERS_REMEMBERED;
		if (refused) this.recent++;
	}

	/** `run` requests had started when the service refused again. */
	isStray(run: number, isWithinProven: boolean): boolean {
		this.runs = [...this.runs, run].slice(-RUNS_COMPARED);
		const most = isWithinProven ? MOST_STRAY : MOST_STRAY_BEYOND_PROVEN;
		return this.recent <= most && !this.isRegular();
	}

	/** A limit has been learned: what was seen without it says nothing about what comes. */
	explained(): void {
		this.runs = [];
	}

	private isRegular(): boolean {
		if (this.runs.length < RUNS_COMPARED) return false;
		return Math.max(...this.runs) < NO_LONGER_ALIKE * Math.min(...this.runs);
	}
}
