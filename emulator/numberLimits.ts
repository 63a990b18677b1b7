import { refuse } from './serviceError';

/** How often one number may be called. */
export interface CallsPerNumber {
	/** The shortest time between two calls. */
	pauseMs: number;
	perMinute: number;
	perDay: number;
	/** How long a number is blocked that was to be called more often. */
	blockMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Remembers when each number was called, and applies the limits to the next call. */
export class NumberLimits {
	private readonly calledAt = new Map<string, number[]>();
	private readonly blockedUntil = new Map<string, number>();

	check(phone: string, now: number, limits: CallsPerNumber): void {
		const times = this.calledAt.get(phone) ?? [];
		const within = (ms: number) => times.filter((at) => now - at < ms).length;
		if (within(MINUTE_MS) >= limits.perMinute || within(DAY_MS) >= limits.perDay) {
			this.blockedUntil.set(phone, now + limits.blockMs);
		}
		if (now < (this.blockedUntil.get(phone) ?? 0)) {
			refuse('calledTooOften', 'This number is blocked because it was called too often');
		}
		if (within(limits.pauseMs) > 0) {
			const seconds = limits.pauseMs / 1_000;
			refuse('calledTooSoon', `Wait ${seconds} seconds before calling the same number again`);
		}
	}

	record(phone: string, now: number): void {
		this.calledAt.set(phone, [...(this.calledAt.get(phone) ?? []), now]);
	}
}
