import { setTimeout as pause } from 'node:timers/promises';

/** A machine of CI may stand still for seconds, and be ten times slower for a while. */
const HANGS_AFTER = 180_000;

interface WaitOptions {
	/** Completes the message "Timed out after … s waiting until <what>". */
	readonly what: string;
	/** Milliseconds. By default, so many that only what hangs takes longer. */
	readonly limit?: number;
	readonly longestPause?: number;
	/** What was seen last, for the message after a timeout. */
	readonly seen?: () => string;
}

/** Calls `attempt` with growing pauses until it returns a value, for at most `limit`. */
export async function waitUntil<T>(
	attempt: () => Promise<T | undefined>,
	{ what, limit = HANGS_AFTER, longestPause = 500, seen }: WaitOptions,
): Promise<T> {
	const deadline = Date.now() + limit;
	let nextPause = 20;
	for (;;) {
		const value = await attempt();
		if (value !== undefined) return value;
		if (Date.now() >= deadline) {
			const lastSeen = seen ? ` Last seen: ${seen()}` : '';
			throw new Error(`Timed out after ${limit / 1000} s waiting until ${what}.${lastSeen}`);
		}
		await pause(nextPause);
		nextPause = Math.min(nextPause * 1.5, longestPause);
	}
}

const MINUTE = 60_000;

/**
 * Does something that must happen within one slot of the clock, such as a day, or a cooldown, and repeats it if a slot
 * has ended meanwhile. This makes counts exact: once per slot is once.
 */
export async function withinOneSlot<T>(minutes: number, act: () => Promise<T>): Promise<T> {
	const slotNow = () => Math.floor(Date.now() / (minutes * MINUTE));
	for (;;) {
		const began = slotNow();
		const result = await act();
		if (slotNow() === began) return result;
	}
}
