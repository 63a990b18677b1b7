import { unixSeconds } from './clock';
import type { EmulatorSettings } from './settings';
import type { Traffic } from './traffic';

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
