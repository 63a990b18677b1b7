import { atLeast, atMost, type Bound, bound, NONE } from '../bound';
import { OURS } from '../limits/measureLimits';
import {
	bestFixed,
	type Cpu,
	type InN8n,
	type Limits,
	type Lists,
	type Results,
	type Speed,
} from './results';

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
			bound(
				'no limit: faster than one by one',
				oneByOne.seconds / automatic.seconds,
				atLeast(10, 'times'),
			),
			bound(
				'no limit: speed over the best fixed number',
				bestFixed(others).seconds / automatic.seconds,
				atLeast(0.85, 'times'),
			),
		]),
		...on('limited', ({ automatic, floor }) => [
			bound('100 per second: numbers lost', automatic.lost, NONE),
			bound(
				'100 per second: time over the floor',
				automatic.seconds / floor.seconds,
				atMost(1.3, 'times'),
			),
			bound('100 per second: requests wasted on 429', automatic.refused, atMost(0.08, 'share')),
		]),
		...speed.map(({ service, automatic }) =>
			bound(
				`${service}: requests in flight at once`,
				automatic.peakInFlight,
				atMost(64, 'requests'),
			),
		),
	];
}

function cpuBound({ sameConcurrency }: Cpu): Bound {
	return bound(
		'computing per number over the bare helper, both 64 at once',
		sameConcurrency,
		atMost(1.15, 'times'),
	);
}

function listBounds({ short, long }: Lists): Bound[] {
	return [
		bound(
			'100,000 numbers: computing over that for 10,000',
			long.cpuSeconds / short.cpuSeconds,
			atMost(12, 'times'),
		),
		bound('100,000 numbers: lost', long.lost, NONE),
		bound(
			'100,000 numbers: longest time n8n could not answer',
			long.longestBlockMs,
			atMost(100, 'milliseconds'),
		),
	];
}

function inN8nBounds(found: InN8n['schemes'][number]): Bound[] {
	const { scheme, ours, oursOverPlain, oursOverWithCredential } = found;
	return [
		bound(
			`n8n, ${scheme}: time over the HTTP Request node without a credential`,
			oursOverPlain,
			atMost(1.3, 'times'),
		),
		bound(
			`n8n, ${scheme}: time over the HTTP Request node with a credential`,
			oursOverWithCredential,
			atMost(1, 'times'),
		),
		bound(`n8n, ${scheme}: requests in flight at once`, ours.peakInFlight, atMost(64, 'requests')),
		bound(`n8n, ${scheme}: numbers lost`, ours.lost, NONE),
	];
}

function limitBounds(limits: Limits): Bound[] {
	return limits.flatMap(({ service, floorSeconds, mostOverFloor, mostRefused, runs }) => {
		const ours = runs.find(({ name }) => name === OURS.name);
		if (ours === undefined) return [];
		const simulated = `simulated, ${service}`;
		const overFloor = ours.seconds / floorSeconds;
		return [
			bound(`${simulated}: lost`, ours.lost, NONE),
			bound(`${simulated}: time over the floor`, overFloor, atMost(mostOverFloor, 'times')),
			...(mostRefused === undefined
				? []
				: [
						bound(
							`${simulated}: requests wasted on 429`,
							ours.refused,
							atMost(mostRefused, 'share'),
						),
					]),
		];
	});
}
