import { setTimeout as pause } from 'node:timers/promises';

interface WaitOptions {
	/** Completes the message "Timed out after … s waiting until <what>". */
	readonly what: string;
	/** Milliseconds. */
	readonly limit: number;
	readonly longestPause?: number;
	/** What was seen last, for the message after a timeout. */
	readonly seen?: () => string;
}

/** Calls `attempt` with growing pauses until it returns a value, for at most `limit`. */
export async function waitUntil<T>(
	attempt: () => Promise<T | undefined>,
	{ what, limit, longestPause = 500, seen }: WaitOptions,
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
