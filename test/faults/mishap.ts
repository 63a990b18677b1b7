import { seededRandom } from '../../emulator/seededRandom';

/** What can go wrong with a request, and whether the service has processed it by then. */
const MISHAPS = {
	resetOnArrival: 'before the work',
	httpError: 'before the work',
	errorCodeInBody: 'before the work',
	throttled: 'before the work',
	throttledInBody: 'before the work',
	answerLost: 'after the work',
	resetInBody: 'after the work',
	halfJson: 'after the work',
	gatewayError: 'after the work',
	silence: 'after the work',
	drippingBody: 'after the work',
} as const;

export type Mishap = keyof typeof MISHAPS;

export const EVERY_MISHAP = Object.keys(MISHAPS) as readonly Mishap[];

/**
 * “Too many requests” comes in storms, not at random: automatic concurrency reads each refusal as a sign
 * of how much the service can take.
 */
export const CHANCE_MISHAPS = EVERY_MISHAP.filter((mishap) => !isThrottled(mishap));

/** The fault for this attempt, counted from 0, at `asked`. */
export type MishapPlan = (asked: string, attempt: number) => Mishap | undefined;

/** At most this many attempts per item fail; with more, an item could use up its retries by pure chance. */
const MOST_PER_ITEM = 5;
/** These hold a slot until the timeout, so they are rarer than the rest. */
const SLOW: readonly Mishap[] = ['silence', 'drippingBody'];

/** The same faults for each item and attempt, in whatever order they arrive, so a seed is repeatable. */
export function randomMishaps(
	seed: number,
	share: number,
	mishaps: readonly Mishap[] = CHANCE_MISHAPS,
): MishapPlan {
	const weighted = mishaps.flatMap((mishap) =>
		SLOW.includes(mishap) ? [mishap] : new Array<Mishap>(5).fill(mishap),
	);
	return (asked, attempt) => {
		if (attempt >= MOST_PER_ITEM) return undefined;
		const random = seededRandom(seed + hash(`${asked}/${attempt}`));
		if (random() >= share) return undefined;
		return weighted[Math.floor(random() * weighted.length)];
	};
}

export function isAfterTheWork(mishap: Mishap): boolean {
	return MISHAPS[mishap] === 'after the work';
}

export function isThrottled(mishap: Mishap): boolean {
	return mishap.startsWith('throttled');
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
	let value = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
	}
	return value >>> 0;
}
