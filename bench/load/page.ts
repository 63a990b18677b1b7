import { boundParts } from '../bound';
import { count, markdown, megabytes, type Table, times } from '../table';
import {
	boundsOf,
	type Events,
	type FileRun,
	type Files,
	type ListRun,
	type Results,
} from './results';
import { ENGINE_NAMES, millionTable, MODE_NAMES, resumeTable } from './tables';

/** What a person reads of a run, without the lists that are on the page for users; `tablesOf` has everything. */
export function pageParts(results: Results): string[] {
	const { events, workers, resume, files } = results;
	const tables = [
		...(events.length > 0 ? [eventTable(events)] : []),
		...(workers.length > 0 ? [millionTable(workers)] : []),
		...(resume ? [resumeTable(resume)] : []),
		...(files.length > 0 ? [memoryTable(files)] : []),
	];
	return [...tables.map(markdown), ...boundParts(boundsOf(results))];
}

/** Why a file takes more than half: what n8n's requests take is no package's to change. */
function memoryTable(lists: readonly Files[]): Table {
	return {
		title: 'Memory of a list beyond n8n’s own',
		head: ['', 'as items', 'half of it', 'as a file', 'n8n’s requests alone'],
		rows: lists.flatMap(({ rows, file, items, requests, live }) => {
			const peak = (run: FileRun | undefined) => run && run.peakBytes - run.restBytes;
			return [
				[`${count(rows)} rows, peak`, ...memoryCells(peak(items), peak(file), peak(requests))],
				[
					`${count(rows)} rows, live heap`,
					...memoryCells(live.items.bytes, live.file.bytes, live.requests?.bytes),
				],
			];
		}),
	};
}

function memoryCells(items = NaN, file?: number, requests?: number): string[] {
	return [items, items / 2, file, requests].map((bytes) =>
		bytes === undefined ? '' : megabytes(bytes, bytes < 100e6 ? 1 : 0),
	);
}

function eventTable(events: readonly Events[]): Table {
	return {
		title: 'Events with a signature, and n8n’s Webhook node that checks a header',
		head: ['', 'events/s', 'over n8n’s own', 'answer p95', 'computing per event', 'lost'],
		rows: events.map(({ mode, engine, sealed }) => [
			`${MODE_NAMES[mode]}, ${ENGINE_NAMES[engine]}`,
			sealed.perSecond.toFixed(1),
			times(sealed.speedRatio),
			`${sealed.p95Ms.toFixed(0)} ms`,
			`${sealed.cpuMsPerEvent.toFixed(1)} ms`,
			count(sealed.lost),
		]),
	};
}

/** The figures that users read: the longest list of each service, and the longest file. */
export function figuresTable({ lists, files }: Results): Table {
	const longestLists = lists.filter(({ service, numbers }) =>
		lists.every((other) => other.service !== service || other.numbers <= numbers),
	);
	const longestFile = [...files].sort((one, other) => other.rows - one.rows)[0];
	return {
		title: 'Lists in n8n',
		head: ['', 'time', 'lost', 'peak memory'],
		rows: [
			...longestLists.flatMap(({ title, numbers, ours, atOnce, batched }) =>
				[ours, atOnce, batched].map((run) => row(`${title}, ${count(numbers)} numbers`, run)),
			),
			...(longestFile
				? [longestFile.file, longestFile.items].map((run) =>
						row(`From file to file, ${count(longestFile.rows)} rows`, run),
					)
				: []),
		],
	};
}

function row(list: string, { name, seconds, lost, peakBytes }: ListRun | FileRun): string[] {
	return [
		`${list}: ${name}`,
		`${seconds.toFixed(0)} s`,
		count(lost),
		`${(peakBytes / 1e9).toFixed(1)} GB`,
	];
}
