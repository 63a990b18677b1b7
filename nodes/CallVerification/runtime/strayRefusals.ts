/** So many refusals among the last hundred answers, or so, may be stray ones that no limit explains. */
const ANSWERS_REMEMBERED = 100;
const MOST_STRAY = 9;
/** With more in flight than has ever gone well, fewer will do as proof of a limit. */
const MOST_STRAY_BEYOND_PROVEN = 3;
/** Where they have proved to be common, only more than half of all answers are proof again. */
const MOST_STRAY_WHERE_COMMON = 50;
/** A limit does not explain what is refused at a quarter of it. */
const FAR_BELOW = 1 / 4;
/** But stray refusals lower a limit bit by bit. What falls like this is a limit, e.g. behind a burst that is used up. */
const SUDDEN_FALL = 1 / 16;
/** Per second: a quarter of less than this cannot be tried. */
const LEAST_LIMIT = 4;
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
	/** Per second: the limit that they seemed to show at first, or after a sudden fall. */
	private firstLimit = Infinity;
	private common = false;

	/** So many are stray that the service may refuse several times in a row without meaning it. */
	get areCommon(): boolean {
		return this.common;
	}

	answered(refused: boolean): void {
		this.recent *= 1 - 1 / ANSWERS_REMEMBERED;
		if (refused) this.recent++;
	}

	/** `run` requests had started when the service refused again. */
	isStray(run: number, isWithinProven: boolean): boolean {
		this.runs = [...this.runs, run].slice(-RUNS_COMPARED);
		return this.recent <= this.mostStray(isWithinProven) && !this.isRegular();
	}

	/**
	 * Whether the service goes on refusing although far fewer are sent than it once seemed to allow: no limit explains
	 * that. `obeyed` is the limit until now, and `limit` what would be the next. True once; if more than half are refused
	 * then, there is a limit after all.
	 */
	outlast(obeyed: number, limit: number): boolean {
		if (limit <= obeyed * SUDDEN_FALL) this.firstLimit = Math.max(LEAST_LIMIT, limit);
		if (this.common || obeyed > this.firstLimit * FAR_BELOW) return false;
		this.common = this.recent <= MOST_STRAY_WHERE_COMMON;
		return this.common;
	}

	/** A limit has been learned: what was seen without it says nothing about what comes. */
	explained(): void {
		this.runs = [];
	}

	private mostStray(isWithinProven: boolean): number {
		if (this.common) return MOST_STRAY_WHERE_COMMON;
		return isWithinProven ? MOST_STRAY : MOST_STRAY_BEYOND_PROVEN;
	}

	private isRegular(): boolean {
		if (this.runs.length < RUNS_COMPARED) return false;
		return Math.max(...this.runs) < NO_LONGER_ALIKE * Math.min(...this.runs);
	}
}
