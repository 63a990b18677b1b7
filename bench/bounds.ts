import { OURS } from './limits/algorithms';
import {
	bestFixed,
	type Cpu,
	type InN8n,
	type Limits,
	type Lists,
	type Results,
	type Speed,
} from './results';

/** A condition that the results must meet. */
export interface Bound {
	what: string;
	value: number;
	limit: { atLeast: number } | { atMost: number };
	unit: 'times' | 'share' | 'numbers' | 'milliseconds' | 'megabytes' | 'requests';
}

/** The bounds of the parts that were measured. */
export function boundsOf({ speed, cpu, lists, inN8n, limits }: Results): Bound[] {
	return [
		...speedBounds(speed),
		...(cpu ? [cpuBound(cpu)] : []),
		...(lists ? listBounds(lists) : []),
		...(inN8n ? inN8n.schemes.flatMap(inN8nBounds) : []),
		...(limits ? limitBounds(limits) : []),
	];
}

function speedBounds(speed: readonly Speed[]): Bound[] {
	const on = (service: Speed['service'], bounds: (found: Speed) => Bound[]): Bound[] =>
		speed.filter((each) => each.service === service).flatMap(bounds);
	return [
		...on('unlimited', ({ automatic, oneByOne, ...others }) => [
			{
				what: 'no limit: faster than one by one',
				value: oneByOne.seconds / automatic.seconds,
				limit: { atLeast: 10 },
				unit: 'times',
			},
			{
				what: 'no limit: speed over the best fixed number',
				value: bestFixed(others).seconds / automatic.seconds,
				limit: { atLeast: 0.85 },
				unit: 'times',
			},
		]),
		...on('limited', ({ automatic, floor }) => [
			{
				what: '100 per second: numbers lost',
				value: automatic.lost,
				limit: { atMost: 0 },
				unit: 'numbers',
			},
			{
				what: '100 per second: time over the floor',
				value: automatic.seconds / floor.seconds,
				limit: { atMost: 1.3 },
				unit: 'times',
			},
			{
				what: '100 per second: requests wasted on 429',
				value: automatic.refused,
				limit: { atMost: 0.08 },
				unit: 'share',
			},
		]),
		...speed.map(
			({ service, automatic }): Bound => ({
				what: `${service}: requests in flight at once`,
				value: automatic.peakInFlight,
				limit: { atMost: 64 },
				unit: 'requests',
			}),
		),
	];
}

function cpuBound({ sameConcurrency }: Cpu): Bound {
	return {
		what: 'computing per number over the bare helper, both 64 at once',
		value: sameConcurrency,
		limit: { atMost: 1.15 },
		unit: 'times',
	};
}

function listBounds({ short, long }: Lists): Bound[] {
	return [
		{
			what: '100,000 numbers: computing over that for 10,000',
			value: long.cpuSeconds / short.cpuSeconds,
			limit: { atMost: 12 },
			unit: 'times',
		},
		{
			what: '100,000 numbers: lost',
			value: long.lost,
			limit: { atMost: 0 },
			unit: 'numbers',
		},
		{
			what: '100,000 numbers: longest time n8n could not answer',
			value: long.longestBlockMs,
			limit: { atMost: 100 },
			unit: 'milliseconds',
		},
	];
}

function inN8nBounds(found: InN8n['schemes'][number]): Bound[] {
	const { scheme, ours, oursOverPlain, oursOverWithCredential } = found;
	return [
		{
			what: `n8n, ${scheme}: time over the HTTP Request node without a credential`,
			value: oursOverPlain,
			limit: { atMost: 1.3 },
			unit: 'times',
		},
		{
			what: `n8n, ${scheme}: time over the HTTP Request node with a credential`,
			value: oursOverWithCredential,
			limit: { atMost: 1 },
			unit: 'times',
		},
		{
			what: `n8n, ${scheme}: requests in flight at once`,
			value: ours.peakInFlight,
			limit: { atMost: 64 },
			unit: 'requests',
		},
		{
			what: `n8n, ${scheme}: numbers lost`,
			value: ours.lost,
			limit: { atMost: 0 },
			unit: 'numbers',
		},
	];
}

function limitBounds(limits: Limits): Bound[] {
	return limits.flatMap(({ service, floorSeconds, mostOverFloor, mostRefused, runs }) => {
		const ours = runs.find(({ name }) => name === OURS.name);
		if (ours === undefined) return [];
		const simulated = `simulated, ${service}`;
		const bounds: Bound[] = [
			{ what: `${simulated}: lost`, value: ours.lost, limit: { atMost: 0 }, unit: 'numbers' },
			{
				what: `${simulated}: time over the floor`,
				value: ours.seconds / floorSeconds,
				limit: { atMost: mostOverFloor },
				unit: 'times',
			},
		];
		if (mostRefused === undefined) return bounds;
		const refused: Bound = {
			what: `${simulated}: requests wasted on 429`,
			value: ours.refused,
			limit: { atMost: mostRefused },
			unit: 'share',
		};
		return [...bounds, refused];
	});
}

export function holds({ value, limit }: Bound): boolean {
	return 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost;
}
