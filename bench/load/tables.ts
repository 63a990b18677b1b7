import { boundTable, count, type Table, times } from '../tables';
import { boundsOf } from './bounds';
import type {
	Events,
	EventStanding,
	FileRun,
	Files,
	ListRun,
	Lists,
	Results,
	Resume,
	ResumeRun,
} from './results';
import { workersTables } from './workersTables';

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
		`${(run.peakBytes / 1e6).toFixed(0)} MB`,
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
	const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
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
		`${(run.peakBytes / 1e6).toFixed(0)} MB`,
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
