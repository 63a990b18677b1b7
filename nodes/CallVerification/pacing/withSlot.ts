import type { AnnouncedLimit } from './quota';
import type { Limit, Pushback } from './limit';
import { settle, unsettle } from './settled';

export interface SlotOptions {
	readonly pushbackOf: (error: unknown) => Pushback;
	readonly stop?: AbortSignal;
	/** Goes before others. */
	readonly isUrgent?: boolean;
}

/** Takes what a response says about limits. */
export type Hear = (announced: AnnouncedLimit | undefined) => void;

/** Makes one request under a limit and reports the outcome to it, with what the request hears about limits. */
export async function withSlot<T>(
	limit: Limit,
	request: (hear: Hear) => Promise<T>,
	{ pushbackOf, stop, isUrgent }: SlotOptions,
): Promise<T> {
	const slot = await limit.enter(stop, isUrgent);
	let announced: AnnouncedLimit | undefined;
	const result = await settle(async () => await request((heard) => (announced = heard)));
	const pushback: Pushback = result.ok ? { kind: 'ok' } : pushbackOf(result.error);
	slot.leave({ ...pushback, announced });
	return unsettle(result);
}
