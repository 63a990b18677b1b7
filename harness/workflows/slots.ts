const MINUTE = 60_000;

/**
 * Does something that must happen within one slot of a cooldown, and repeats it if a slot has ended meanwhile. This
 * makes counts exact: once per slot is once.
 */
export async function withinOneSlot<T>(cooldownMinutes: number, act: () => Promise<T>): Promise<T> {
	const slotNow = () => Math.floor(Date.now() / (cooldownMinutes * MINUTE));
	for (;;) {
		const began = slotNow();
		const result = await act();
		if (slotNow() === began) return result;
	}
}
