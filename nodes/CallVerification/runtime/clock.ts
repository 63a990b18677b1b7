/** Time as the runtime sees it. Passed in, so that tests can move it by hand. */
export interface Clock {
	/** Milliseconds since the Unix epoch. */
	now(): number;
	sleep(milliseconds: number): Promise<void>;
}
