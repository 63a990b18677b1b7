import { type Bound, boundsOf, holds } from './bounds';
import type { Cpu, InN8n, Limits, Lists, Results, Speed, Standing } from './results';

export interface Table {
	title: string;
	head: string[];
	rows: string[][];
}

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

export function inN8nTable({ n8n, rounds, numbers, schemes }: InN8n): Table {
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
export function limitTable(limits: Limits): Table {
	const [first] = limits;
	const hasBefore = limits.some(({ before }) => before !== undefined);
	return {
		title: 'Who finds the limit, in virtual time: seconds, and the share refused',
		head: [
			'',
			'numbers',
			'floor',
			...(hasBefore ? ['before'] : []),
			...(first?.runs ?? []).map(({ name }) => name),
		],
		rows: limits.map(({ service, numbers, floorSeconds, before, runs }) => {
			const best = Math.min(...runs.map(({ seconds }) => seconds));
			return [
				service,
				count(numbers),
				`${floorSeconds.toFixed(1)}`,
				...(hasBefore
					? [before ? `${before.seconds.toFixed(1)}, ${percent(before.refused)}` : '']
					: []),
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
			[
				'ours over a bare helper that pauses every 10 ms, 64 at once',
				times(cpu.sameConcurrencyPausing),
			],
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

export function boundTable(bounds: readonly Bound[]): Table {
	return {
		title: 'What must hold',
		head: ['bound', 'measured', 'limit', ''],
		rows: bounds.map(boundRow),
	};
}

function boundRow(bound: Bound): string[] {
	const { what, value, limit } = bound;
	const word = 'atLeast' in limit ? 'at least' : 'at most';
	const edge = 'atLeast' in limit ? limit.atLeast : limit.atMost;
	return [
		what,
		inUnit(value, bound.unit),
		`${word} ${inUnit(edge, bound.unit)}`,
		holds(bound) ? 'holds' : 'DOES NOT HOLD',
	];
}

function inUnit(value: number, unit: Bound['unit']): string {
	if (unit === 'times') return times(value);
	if (unit === 'share') return percent(value);
	if (unit === 'megabytes') return `${value.toFixed(0)} MB`;
	return unit === 'milliseconds' ? `${value.toFixed(0)} ms` : String(value);
}

export function times(value: number): string {
	return `${value.toFixed(value < 10 ? 2 : 1)} ×`;
}

function percent(share: number): string {
	return `${(share * 100).toFixed(1)} %`;
}

export function count(value: number): string {
	return value.toLocaleString('en-US');
}
