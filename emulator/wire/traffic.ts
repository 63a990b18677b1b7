import { unixSeconds } from '../clock';
import type { EmulatorSettings } from '../settings';

type Passage =
	| { kind: 'admitted'; slowdownMs: number }
	| { kind: 'tooOften' }
	| { kind: 'tooMany' };

type TrafficLimits = Pick<
	EmulatorSettings,
	'requestsPerSecondLimit' | 'maxConcurrent' | 'slowdownAbove' | 'slowdownMs'
>;

/** Counts requests in flight and in the last second, and applies the limits to the next one. */
export class Traffic {
	inFlight = 0;
	peakInFlight = 0;
	private admittedAt: number[] = [];

	/** Every call must be followed by one `leave`. */
	enter(now: number, limits: TrafficLimits): Passage {
		const { requestsPerSecondLimit, maxConcurrent, slowdownAbove, slowdownMs } = limits;
		this.inFlight += 1;
		this.peakInFlight = Math.max(this.peakInFlight, this.inFlight);
		if (this.inFlight > maxConcurrent) return { kind: 'tooMany' };
		this.admittedAt = this.admittedAt.filter((at) => now - at < 1000);
		if (this.admittedAt.length >= requestsPerSecondLimit) return { kind: 'tooOften' };
		this.admittedAt.push(now);
		const excess = Math.max(this.inFlight - slowdownAbove, 0);
		return { kind: 'admitted', slowdownMs: excess * slowdownMs };
	}

	leave(): void {
		this.inFlight -= 1;
	}

	/** How many requests were admitted in the last second, and when the first of them no longer counts. */
	lastSecond(now: number): { admitted: number; freeAt: number } {
		const counting = this.admittedAt.filter((at) => now - at < 1000);
		return { admitted: counting.length, freeAt: (counting[0] ?? now - 1000) + 1000 };
	}
}

/** What the service says with every answer about its limit of requests per second. */
export function rateLimitHeaders(
	traffic: Traffic,
	{ requestsPerSecondLimit: limit, rateLimitHeaders: unit }: EmulatorSettings,
	now: number,
): Record<string, string> {
	if (unit === 'none' || !Number.isFinite(limit)) return {};
	const { admitted, freeAt } = traffic.lastSecond(now);
	const reset = {
		secondsLeft: Math.ceil((freeAt - now) / 1000),
		millisecondsLeft: freeAt - now,
		unixTime: unixSeconds(freeAt + 999),
	};
	return {
		'x-rate-limit-limit': String(limit),
		'x-rate-limit-remaining': String(Math.max(limit - admitted, 0)),
		'x-rate-limit-reset': String(reset[unit]),
	};
}
