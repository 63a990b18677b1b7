const FIRST_PATIENCE_MS = 5000;
const LONGEST_PATIENCE_MS = 80_000;
/** After a doubt that was right there is probably more to be had. */
const PATIENCE_AFTER_SUCCESS_MS = 2000;
/** A limit that counts per minute shows only after minutes whether more is allowed. */
const WINDOWS_TO_PROVE = 2;

export const CAUTIOUS = 0.1;
export const BOLD = 1;

/**
 * When to ask for more than what was learned, and for how much more. A limit that proves right is doubted ever less
 * often; one that proves wrong is doubted sooner, and for twice as much.
 */
export class Doubt {
	private due = Infinity;
	private patienceMs = FIRST_PATIENCE_MS;
	private share = CAUTIOUS;
	private isRaised = false;

	isDue(now: number): boolean {
		return now >= this.due;
	}

	/** Gives the share to add to the limit. */
	raise(now: number, windowMs: number): number {
		if (this.isRaised) this.share = Math.min(BOLD, this.share * 2);
		this.isRaised = true;
		this.due = now + Math.max(PATIENCE_AFTER_SUCCESS_MS, WINDOWS_TO_PROVE * windowMs);
		return this.share;
	}

	refuted(): void {
		this.patienceMs = Math.min(LONGEST_PATIENCE_MS, this.patienceMs * 2);
	}

	/** Something has just been learned. */
	rest(now: number, windowMs: number, share: number): void {
		this.share = share;
		this.isRaised = false;
		this.due = now + Math.max(this.patienceMs, WINDOWS_TO_PROVE * windowMs);
	}
}
