/** Time, passed in so that tests can control it. */
export interface Clock {
	/** Milliseconds, for measuring intervals. Never goes back. */
	now(): number;
	/** Milliseconds since the Unix epoch, for times that others read. Can be set back. */
	wallTime(): number;
	sleep(milliseconds: number): Promise<void>;
	/** Aborts after this many milliseconds. Unlike a sleep, it does not keep the process alive. */
	timer(milliseconds: number): AbortSignal;
}
