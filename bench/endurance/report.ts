import { slopeOf } from '../statistics';
import { count, megabytes, percent, type Table } from '../table';

export interface HeapSample {
	readonly hours: number;
	readonly bytes: number;
}

interface Work {
	readonly sent: number;
	/** Without an effect, for whatever reason. */
	readonly lost: number;
	readonly twice: number;
}

/** The results of an endurance run. The tables and the verdict are made from these alone. */
export interface EnduranceResults {
	readonly n8n: string;
	readonly minutes: number;
	readonly checks: Work;
	readonly calls: Work;
	readonly events: Work;
	readonly samples: readonly HeapSample[];
	readonly limitBytes: number;
}

/** At first, caches fill and code is compiled. */
const WARM_UP_SHARE = 0.2;
const HOURS_PER_DAY = 24;
/** How much a heap may grow in a day, as a share of its limit. */
const TOLERATED_SHARE_PER_DAY = 0.1;

interface Growth {
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

export function workTable({ minutes, checks, calls, events }: EnduranceResults): Table {
	const row = (name: string, { sent, lost, twice }: Work): string[] => [
		name,
		count(sent),
		count(lost),
		count(twice),
	];
	return {
		title: `${minutes} minutes of mixed load`,
		head: ['', 'sent', 'lost', 'twice'],
		rows: [
			row('numbers checked, in lists of 500', checks),
			row('calls', calls),
			row('events, sealed', events),
		],
	};
}

export function heapTable({ samples, limitBytes }: EnduranceResults, growth: Growth): Table {
	const sizes = samples.slice(-growth.samples).map(({ bytes }) => bytes);
	return {
		title: 'Live heap after the warm-up',
		head: ['', 'measured'],
		rows: [
			['samples', count(growth.samples)],
			['smallest', inMegabytes(Math.min(...sizes))],
			['largest', inMegabytes(Math.max(...sizes))],
			[
				'slope ± standard error',
				`${inMegabytes(growth.bytesPerHour)}/h ± ${inMegabytes(growth.errorPerHour)}/h`,
			],
			[
				'a day of it, of the heap’s limit',
				`${percent(growth.shareOfLimitPerDay)} of ${inMegabytes(limitBytes)}`,
			],
			['verdict', growth.isAcceptable ? 'holds' : 'DOES NOT HOLD'],
		],
	};
}

function inMegabytes(bytes: number): string {
	return megabytes(bytes, 1);
}
