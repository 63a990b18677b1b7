import type { Limit, Pushback } from './limit';
import { settle, unsettle } from './settled';

export interface SlotOptions {
	readonly pushbackOf: (error: unknown) => Pushback;
	readonly stop?: AbortSignal;
	/** Goes before others. */
	readonly isUrgent?: boolean;
}

/** Makes one request under a limit and reports the outcome to it. */
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
