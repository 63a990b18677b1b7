import { count, type Table, times } from '../tables';
import type { WorkerRun, Workers } from './results';

const MILLION = 1_000_000;
const SECONDS_PER_HOUR = 3_600;
const HOURS_PER_DAY = 24;

export function workersTables(measured: readonly Workers[]): Table[] {
	return measured.length === 0 ? [] : [...measured.map(speedTable), millionTable(measured)];
}

function speedTable({ title, numbers, inTable, runs }: Workers): Table {
	const [alone] = runs;
	return {
		title: `Workers, ${lowerFirst(title)}: ${count(numbers)} numbers, in a table of ${count(inTable)}`,
		head: [
			'executions at once',
			'time',
			'numbers/s',
			'over one',
			'refused',
			'computing per number',
			'database per chunk',
			'lost',
			'charged twice',
		],
		rows: runs.map((run) => [
			String(run.executions),
			`${run.seconds.toFixed(1)} s`,
			(numbers / run.seconds).toFixed(0),
			times((alone?.seconds ?? run.seconds) / run.seconds),
			`${(refusedShare(run, numbers) * 100).toFixed(1)} %`,
			`${((run.cpuSeconds / numbers) * 1_000).toFixed(1)} ms`,
			`${((run.databaseSeconds / run.chunks) * 1_000).toFixed(0)} ms`,
			count(run.lost),
			count(run.chargedTwice),
		]),
	};
}

/** Calculated, not measured. */
export function millionTable(measured: readonly Workers[]): Table {
	return {
		title: 'A million numbers, worked out from that',
		head: [
			'',
			'time',
			'that is of a day',
			'requests/s',
			'computing of n8n',
			'cores busy',
			'database',
			'disk',
		],
		rows: measured.flatMap(({ title, numbers, inTable, bytesInTables, runs }) =>
			runs.map((run) => {
				const hours = hoursFor(run.seconds, numbers);
				const computing = hoursFor(run.cpuSeconds, numbers);
				return [
					`${title}, ${run.executions} at once`,
					`${hours.toFixed(1)} h`,
					`${((hours / HOURS_PER_DAY) * 100).toFixed(0)} %`,
					(run.requests / run.seconds).toFixed(0),
					`${computing.toFixed(1)} core hours`,
					(computing / hours).toFixed(1),
					`${hoursFor(run.databaseSeconds, numbers).toFixed(1)} h`,
					`${((bytesInTables / inTable) * MILLION * 1e-9).toFixed(2)} GB`,
				];
			}),
		),
	};
}

function hoursFor(seconds: number, numbers: number): number {
	return ((seconds / numbers) * MILLION) / SECONDS_PER_HOUR;
}

function refusedShare({ requests, lost, chargedTwice }: WorkerRun, numbers: number): number {
	return (requests - (numbers - lost + chargedTwice)) / requests;
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}
