import { bestFixed, type Results, type Speed } from './results';

/** What must hold. */
export interface Bound {
	what: string;
	value: number;
	limit: { atLeast: number } | { atMost: number };
	unit: 'times' | 'share' | 'numbers' | 'milliseconds' | 'requests';
}

export function boundsOf({ speed, cpu, lists }: Results): Bound[] {
	const unlimited = speedOn(speed, 'unlimited');
	const limited = speedOn(speed, 'limited');
	return [
		{
			what: 'no limit: faster than one by one',
			value: unlimited.oneByOne.seconds / unlimited.automatic.seconds,
			limit: { atLeast: 10 },
			unit: 'times',
		},
		{
			what: 'no limit: speed over the best fixed number',
			value: bestFixed(unlimited).seconds / unlimited.automatic.seconds,
			limit: { atLeast: 0.85 },
			unit: 'times',
		},
		{
			what: '100 per second: numbers lost',
			value: limited.automatic.lost,
			limit: { atMost: 0 },
			unit: 'numbers',
		},
		{
			what: '100 per second: time over the floor',
			value: limited.automatic.seconds / limited.floor.seconds,
			limit: { atMost: 1.3 },
			unit: 'times',
		},
		{
			what: '100 per second: requests wasted on 429',
			value: limited.automatic.refused,
			limit: { atMost: 0.12 },
			unit: 'share',
		},
		{
			what: 'any service: requests in flight at once',
			value: Math.max(...speed.map(({ automatic }) => automatic.peakInFlight)),
			limit: { atMost: 64 },
			unit: 'requests',
		},
		{
			what: 'computing per number over the bare helper, both 64 at once',
			value: cpu.sameConcurrency,
			limit: { atMost: 1.15 },
			unit: 'times',
		},
		{
			what: '100,000 numbers: computing over that for 10,000',
			value: lists.long.cpuSeconds / lists.short.cpuSeconds,
			limit: { atMost: 12 },
			unit: 'times',
		},
		{
			what: '100,000 numbers: lost',
			value: lists.long.lost,
			limit: { atMost: 0 },
			unit: 'numbers',
		},
		{
			what: '100,000 numbers: longest time n8n could not answer',
			value: lists.long.longestBlockMs,
			limit: { atMost: 100 },
			unit: 'milliseconds',
		},
	];
}

export function holds({ value, limit }: Bound): boolean {
	return 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost;
}

function speedOn(speeds: readonly Speed[], service: Speed['service']): Speed {
	const found = speeds.find((speed) => speed.service === service);
	if (found === undefined) throw new Error(`The speed on the ${service} service is missing`);
	return found;
}
