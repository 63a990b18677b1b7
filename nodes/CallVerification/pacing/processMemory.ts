import { ExpiringMap } from './expiringMap';
import type { AdaptiveLimit } from './limit';
import type { Clock } from './time';

/**
 * All that this folder remembers between runs, by account. Each n8n process has its own and starts with none. Only these
 * functions touch it. What was remembered by another clock does not count: its times mean something else.
 */

/** A minute, because what a service allows rarely changes, but how busy it is does. */
const KEPT_FOR_MS = 60_000;
/** What the last run has learned. Taken by the next one, and dropped after a minute. */
const keptLimits = new ExpiringMap<{ limit: AdaptiveLimit; expiresAt: number }>();

/**
 * For the next run: a list in several parts would start carefully and hit the service's limit with each part.
 * Simultaneous runs learn separately; the last to end is kept.
 */
export function keepLimit(account: string, limit: AdaptiveLimit, clock: Clock): void {
	// After an outage, a list should restart without delay.
	if (!limit.isCalm) return;
	limit.rest();
	const now = clock.now();
	keptLimits.add(account, { limit, expiresAt: now + KEPT_FOR_MS }, now);
}

export function takeKeptLimit(account: string, clock: Clock): AdaptiveLimit | undefined {
	const limit = keptLimits.find(account, clock.now())?.limit;
	if (limit?.clock !== clock) return undefined;
	keptLimits.delete(account);
	return limit;
}

const HOUR_MS = 60 * 60 * 1_000;
/** When the last request has started, or will. Dropped an hour after the next may start. */
const lastStarts = new ExpiringMap<{ start: number; clock: Clock; expiresAt: number }>();

/** `-Infinity` if there was none. */
export function lastStartOf(account: string, clock: Clock): number {
	const last = lastStarts.find(account, clock.now());
	return last?.clock === clock ? last.start : -Infinity;
}

export function rememberStart(account: string, start: number, gapMs: number, clock: Clock): void {
	const expiresAt = start + gapMs + HOUR_MS;
	lastStarts.add(account, { start, clock, expiresAt }, clock.now());
}
