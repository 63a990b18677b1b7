/** Time as the runtime sees it. Passed in, so that tests can move it by hand. */
export interface Clock {
	/** Milliseconds since some moment. Only ever moves forward, so intervals are measured with it. */
	now(): number;
	/** Milliseconds since the Unix epoch, for times that others read. Somebody may set it back. */
	wallTime(): number;
	sleep(milliseconds: number): Promise<void>;
	/** Aborts after so many milliseconds. Unlike a sleep, it keeps no process alive. */
	timer(milliseconds: number): AbortSignal;
}
