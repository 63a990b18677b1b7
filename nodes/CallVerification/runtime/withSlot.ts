import type { Limit, Pushback } from './limit';
import { settle, unsettle } from './settled';

/** Makes one request under a limit and tells the limit how it went. */
export async function withSlot<T>(
	limit: Limit,
	request: () => Promise<T>,
	pushbackOf: (error: unknown) => Pushback,
	stop?: AbortSignal,
): Promise<T> {
	const slot = await limit.enter(stop);
	const result = await settle(request);
	slot.leave(result.ok ? { kind: 'ok' } : pushbackOf(result.error));
	return unsettle(result);
}
