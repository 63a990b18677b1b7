import type { RateLimit } from './limit';
import { lastStartOf, rememberStart } from './processMemory';
import { SECOND_MS } from './quota';
import type { Clock } from './time';

/**
 * The user's own rate, as a token bucket with a single token: starts are evenly spaced, without bursts after unused
 * time. All runs of an account share it. Each reserves one start at a time, so that others wait for no more than that.
 */
export function rateLimit(clock: Clock, perSecond: number, account: string): RateLimit {
	const gapMs = SECOND_MS / perSecond;
	let reserved: number | undefined;
	const lastStart = () => lastStartOf(account, clock);
	const remember = (start: number) => rememberStart(account, start, gapMs, clock);
	return {
		next(now) {
			if (reserved === undefined) {
				reserved = Math.max(now, lastStart() + gapMs);
				remember(reserved);
			}
			return reserved;
		},
		started() {
			reserved = undefined;
			// A machine that was busy starts late, and the next start comes after that.
			remember(Math.max(clock.now(), lastStart()));
		},
		release() {
			// Another run may start at that time, unless one has already reserved a later one.
			if (reserved === lastStart()) remember(reserved - gapMs);
			reserved = undefined;
		},
	};
}
