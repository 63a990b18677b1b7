const MINUTE = 60_000;

/**
 * Does something that must lie within one slot of a cooldown, and does it over if a slot has ended meanwhile. So what
 * it counts is exact: once in a slot is once.
 */
export async function withinOneSlot<T>(cooldownMinutes: number, act: () => Promise<T>): Promise<T> {
	const slotNow = () => Math.floor(Date.now() / (cooldownMinutes * MINUTE));
	for (;;) {
		const began = slotNow();
		const result = await act();
		if (slotNow() === began) return result;
	}
}
