import type { Limit, Pushback } from './limit';
import { settle, unsettle } from './settled';

export interface SlotOptions {
	readonly pushbackOf: (error: unknown) => Pushback;
	readonly stop?: AbortSignal;
	/** Takes its turn before others. */
	readonly isUrgent?: boolean;
}

/** Makes one request under a limit and tells the limit how it went. */
export async function withSlot<T>(
	limit: Limit,
	request: () => Promise<T>,
	{ pushbackOf, stop, isUrgent }: SlotOptions,
): Promise<T> {
	const slot = await limit.enter(stop, isUrgent);
	const result = await settle(request);
	slot.leave(result.ok ? { kind: 'ok' } : pushbackOf(result.error));
	return unsettle(result);
}
