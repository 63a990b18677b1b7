import { slopeOf } from './slope';
import type { EnduranceResults } from './results';

/** At first, caches fill and code is compiled. */
const WARM_UP_SHARE = 0.2;
const HOURS_PER_DAY = 24;
/** How much a heap may grow in a day, as a share of its limit. */
const TOLERATED_SHARE_PER_DAY = 0.1;

export interface Growth {
	readonly samples: number;
	/** Of the live heap, after the warm-up. */
	readonly bytesPerHour: number;
	readonly errorPerHour: number;
	/** The growth per day as a share of the heap's limit. */
	readonly shareOfLimitPerDay: number;
	readonly isAcceptable: boolean;
}

/**
 * Growth is acceptable if the samples cannot tell it from none (the slope minus two standard errors is not above zero),
 * or if a day of it is a small share of the heap's limit.
 */
export function growthOf({
	samples,
	limitBytes,
}: Pick<EnduranceResults, 'samples' | 'limitBytes'>): Growth {
	const warm = samples.slice(Math.ceil(samples.length * WARM_UP_SHARE));
	const { slope, error } = slopeOf(warm.map(({ hours, bytes }) => ({ x: hours, y: bytes })));
	const shareOfLimitPerDay = (slope * HOURS_PER_DAY) / limitBytes;
	return {
		samples: warm.length,
		bytesPerHour: slope,
		errorPerHour: error,
		shareOfLimitPerDay,
		isAcceptable: slope - 2 * error <= 0 || shareOfLimitPerDay < TOLERATED_SHARE_PER_DAY,
	};
}
