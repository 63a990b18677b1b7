const MINUTE = 60_000;

/** How often a phone may ring between two moments: once in each slot of the cooldown that they touch. */
export function mostCallsPerPhone(began: number, ended: number, cooldownMinutes: number): number {
	const slotAt = (time: number) => Math.floor(time / (cooldownMinutes * MINUTE));
	return slotAt(ended) - slotAt(began) + 1;
}
