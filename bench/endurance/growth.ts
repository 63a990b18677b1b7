import { slopeOf } from './slope';
import type { EnduranceResults } from './results';

/** Caches fill and code is compiled at first. */
const WARM_UP_SHARE = 0.2;
const HOURS_PER_DAY = 24;
/** What a heap may grow by in a day, as a share of what it may grow to. */
const TOLERATED_SHARE_PER_DAY = 0.1;

export interface Growth {
	readonly samples: number;
	/** Of the live heap, after the warm-up. */
	readonly bytesPerHour: number;
	readonly errorPerHour: number;
	/** The growth of a day as a share of the heap's limit. */
	readonly shareOfLimitPerDay: number;
	readonly isBearable: boolean;
}

/**
 * Growth is bearable if the samples do not tell it from none (the slope less two standard errors is not above zero), or
 * if a day of it is little of what the heap may take.
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
		isBearable: slope - 2 * error <= 0 || shareOfLimitPerDay < TOLERATED_SHARE_PER_DAY,
	};
}
