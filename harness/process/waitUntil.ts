import { setTimeout as pause } from 'node:timers/promises';

interface WaitOptions {
	/** Completes the sentence "… did not come true: <what>". */
	readonly what: string;
	/** Milliseconds. */
	readonly limit: number;
	readonly longestPause?: number;
	/** What was seen last, for the message when time is over. */
	readonly seen?: () => string;
}

/** Asks again with growing pauses until `attempt` gives a value, at most for `limit`. */
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
			throw new Error(`Waited ${limit / 1000} s in vain until ${what}.${lastSeen}`);
		}
		await pause(nextPause);
		nextPause = Math.min(nextPause * 1.5, longestPause);
	}
}
