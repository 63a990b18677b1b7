import { boundParts, boundTable } from '../bound';
import { count, markdown, percent, type Table, times } from '../table';
import {
	boundsOf,
	type Cpu,
	type InN8n,
	type Limits,
	type Lists,
	type Results,
	type Speed,
	type Standing,
} from './results';

export function tablesOf(results: Results): Table[] {
	const { speed, cpu, lists, inN8n, limits } = results;
	return [
		...(inN8n ? [inN8nTable(inN8n)] : []),
		...speed.map(speedTable),
		...(limits ? [limitTable(limits)] : []),
		...(cpu ? [cpuTable(cpu)] : []),
		...(lists ? [listTable(lists)] : []),
		boundTable(boundsOf(results)),
	];
}

function speedTable(speed: Speed): Table {
	const { title, automatic, oneByOne, fixed, bareHelper, floor } = speed;
	const row = (standing: Standing): string[] => [
		standing.measuredOn === undefined
			? standing.name
			: `${standing.name} (scaled from ${standing.measuredOn})`,
		`${standing.seconds.toFixed(2)} s`,
		// A contender that loses numbers is not fast.
		standing.lost > 0 ? '' : times(oneByOne.seconds / standing.seconds),
		standing.lost > 0 ? '' : times(standing.seconds / floor.seconds),
		`${standing.lost} of ${standing.measuredOn ?? standing.numbers}`,
		percent(standing.refused),
		String(standing.peakInFlight),
	];
	return {
		title: `${title}: ${count(automatic.numbers)} numbers`,
		head: ['', 'time', 'faster than one by one', 'time over the floor', 'lost', '429', 'at once'],
		rows: [automatic, oneByOne, ...fixed, bareHelper, floor].map(row),
	};
}

function inN8nTable({ n8n, rounds, numbers, schemes }: InN8n): Table {
	return {
		title: `In n8n ${n8n}, no limit, 80 ms per answer: ${count(numbers)} numbers, ${rounds} rounds`,
		head: ['', '', 'time', 'ours over it', 'lost', 'at once'],
		rows: schemes.flatMap(
			({ scheme, ours, plain, withCredential, oursOverPlain, oursOverWithCredential }) =>
				(
					[
						[ours, 1],
						[plain, oursOverPlain],
						[withCredential, oursOverWithCredential],
					] as const
				).map(([{ name, seconds, lost, peakInFlight }, oursOver]) => [
					name,
					scheme,
					`${seconds.toFixed(2)} s`,
					times(oursOver),
					count(lost),
					count(peakInFlight),
				]),
		),
	};
}

/** Time and share of refused requests; the quickest in bold. */
function limitTable(limits: Limits): Table {
	const [first] = limits;
	return {
		title: 'Who finds the limit, in virtual time: seconds, and the share refused',
		head: ['', 'numbers', 'floor', ...(first?.runs ?? []).map(({ name }) => name)],
		rows: limits.map(({ service, numbers, floorSeconds, runs }) => {
			const best = Math.min(...runs.map(({ seconds }) => seconds));
			return [
				service,
				count(numbers),
				`${floorSeconds.toFixed(1)}`,
				...runs.map(({ seconds, refused }) => {
					const time = seconds === best ? `**${seconds.toFixed(1)}**` : seconds.toFixed(1);
					return `${time}, ${percent(refused)}`;
				}),
			];
		}),
	};
}

function cpuTable(cpu: Cpu): Table {
	return {
		title: 'What a number costs n8n',
		head: ['', 'measured'],
		rows: [
			['computing per number, bare helper, 64 at once', `${cpu.bareHelper.toFixed(2)} ms`],
			['ours over that, 64 at once', times(cpu.sameConcurrency)],
			['ours over that, automatic', times(cpu.automatic)],
		],
	};
}

function listTable({ short, long }: Lists): Table {
	return {
		title: 'What a long list costs n8n',
		head: ['', 'measured'],
		rows: [short, long].flatMap((list) => [
			[`computing for ${count(list.numbers)} numbers`, `${list.cpuSeconds.toFixed(1)} s`],
			[
				`memory kept per number of ${count(list.numbers)}`,
				`${(list.heapBytesPerNumber / 1024).toFixed(1)} KiB`,
			],
			[
				`longest time n8n could not answer, ${count(list.numbers)} numbers`,
				`${list.longestBlockMs.toFixed(0)} ms`,
			],
		]),
	};
}

/** One of each kind of limit. The others are in the file of the results. */
const SERVICES_ON_PAGE = [
	'no limit',
	'100 per second, 80 ms',
	'600 per minute',
	'16 at once',
	'slower beyond 32 at once',
	'a stray 429 in 4 % of answers',
	'30 per second, announced',
	'50, then 200 per second',
];

/** What a person reads of a run; `tablesOf` has everything. */
export function pageParts(results: Results): string[] {
	const { inN8n, limits } = results;
	const tables: Table[] = [
		...(inN8n ? [inN8nTable(inN8n)] : []),
		...(limits
			? [limitTable(limits.filter(({ service }) => SERVICES_ON_PAGE.includes(service)))]
			: []),
	];
	return [...tables.map(markdown), ...boundParts(boundsOf(results))];
}
