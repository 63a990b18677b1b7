import { boundTable } from '../bound';
import { count, megabytes, percent, type Table, times } from '../table';
import {
	boundsOf,
	type Events,
	type EventStanding,
	type FileRun,
	type Files,
	type ListRun,
	type Lists,
	type Results,
	type Resume,
	type ResumeRun,
	type WorkerRun,
	type Workers,
} from './results';

export const MODE_NAMES: Record<Events['mode'], string> = {
	regular: 'one process',
	queue: 'queue mode',
};
export const ENGINE_NAMES: Record<Events['engine'], string> = {
	default: 'n8n’s defaults',
	onDemand: 'isolates on demand',
};

export function tablesOf(results: Results): Table[] {
	return [
		...results.lists.map(listTable),
		...results.files.map(fileTable),
		...results.events.map(eventTable),
		...workersTables(results.workers),
		...(results.resume ? [resumeTable(results.resume)] : []),
		boundTable(boundsOf(results)),
	];
}

function listTable({ title, numbers, ours, atOnce, batched }: Lists): Table {
	const row = (run: ListRun): string[] => [
		run.name,
		`${run.seconds.toFixed(1)} s`,
		// A contender that loses numbers is not fast.
		run.lost > 0 ? '' : times(run.seconds / ours.seconds),
		count(run.lost),
		count(run.charged),
		`${run.longestHealthMs.toFixed(0)} ms`,
		times(run.longestHealthMs / ours.longestHealthMs),
		megabytes(run.peakBytes),
		times(run.peakBytes / ours.peakBytes),
	];
	return {
		title: `${title}: ${count(numbers)} numbers`,
		head: [
			'',
			'time',
			'over ours',
			'lost',
			'charged',
			'longest `/healthz`',
			'over ours',
			'peak memory',
			'over ours',
		],
		rows: [ours, atOnce, batched].map(row),
	};
}

function fileTable(files: Files): Table {
	const { rows, rounds, file, items, atOnce, requests, known, limited, live, events } = files;
	const row = (run: FileRun, name = run.name, liveHeap = '', longestEvent = ''): string[] => [
		name,
		`${run.seconds.toFixed(1)} s`,
		`${run.cpuSeconds.toFixed(1)} s`,
		times(run.cpuSeconds / file.cpuSeconds),
		megabytes(run.peakBytes),
		megabytes(run.peakBytes - run.restBytes),
		liveHeap,
		`${run.longestBlockMs.toFixed(0)} ms`,
		`${run.longestWorkMs.toFixed(0)} ms`,
		longestEvent,
		count(run.lost),
		count(run.charged),
	];
	return {
		title: `From file to file, 80 ms per answer: ${count(rows)} rows, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
		head: [
			'',
			'time',
			'computing',
			'over the file',
			'peak memory',
			'beyond n8n’s own',
			'live heap',
			'longest block',
			'without GC',
			'longest webhook',
			'lost',
			'charged',
		],
		rows: [
			row(
				file,
				file.name,
				megabytes(live.file.bytes),
				events ? `${events.longestMs.toFixed(0)} ms` : '',
			),
			...(known ? [row(known.run, known.run.name, megabytes(known.live.bytes))] : []),
			row(items, items.name, megabytes(live.items.bytes)),
			...(requests && live.requests
				? [row(requests, requests.name, megabytes(live.requests.bytes))]
				: []),
			...(atOnce ? [row(atOnce)] : []),
			...(limited ? [row(limited, `${limited.name}, 100 per second`)] : []),
		],
	};
}

export function resumeTable({ plain, chunks, steps, killed }: Resume): Table {
	const row = (run: ResumeRun): string[] => [
		`${count(run.numbers)} rows, ${run.name}`,
		count(run.kills),
		`${run.seconds.toFixed(1)} s`,
		(run.numbers / run.seconds).toFixed(0),
		count(run.lost),
		count(run.chargedTwice),
		megabytes(run.peakBytes),
	];
	const ofSteps = ({ parts, seconds }: NonNullable<Resume['steps']>): string[] => {
		const name = `n8n’s own steps of ${count(parts)} parts`;
		return [name, '', `${seconds.toFixed(1)} s`, '', '', '', ''];
	};
	return {
		title: 'Lists that outlive a run, 80 ms per answer',
		head: ['', 'kills', 'time', 'rows/s', 'lost', 'charged twice', 'peak memory'],
		rows: [...[plain, chunks].map(row), ...(steps ? [ofSteps(steps)] : []), row(killed)],
	};
}

function eventTable(events: Events): Table {
	const { mode, engine, sealed, unsealed, rounds, eventsPerRound, atOnce } = events;
	const row = (name: string, figures: EventStanding, speed = '', cpu = ''): string[] => [
		name,
		figures.perSecond.toFixed(1),
		speed,
		`${figures.p50Ms.toFixed(0)} ms`,
		`${figures.p95Ms.toFixed(0)} ms`,
		`${figures.cpuMsPerEvent.toFixed(1)} ms`,
		cpu,
		count(figures.lost),
	];
	const ours = (name: string, { speedRatio, cpuRatio, ...figures }: Events['sealed']): string[] =>
		row(name, figures, times(speedRatio), times(cpuRatio));
	return {
		title: `Events, ${MODE_NAMES[mode]}, ${ENGINE_NAMES[engine]}: ${rounds} rounds of ${count(eventsPerRound)}, ${atOnce} at once`,
		head: [
			'',
			'events/s',
			'over n8n’s own',
			'answer p50',
			'answer p95',
			'computing per event',
			'over n8n’s own',
			'lost',
		],
		rows: [
			ours('trigger, seal checked', sealed),
			row('Webhook, header checked', sealed.theirs),
			ours('trigger, nothing checked', unsealed),
			row('Webhook, nothing checked', unsealed.theirs),
		],
	};
}

const MILLION = 1_000_000;
const SECONDS_PER_HOUR = 3_600;
const HOURS_PER_DAY = 24;

function workersTables(measured: readonly Workers[]): Table[] {
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
			percent(refusedShare(run, numbers)),
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
