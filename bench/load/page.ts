import { boundParts } from '../bound';
import { count, markdown, megabytes, type Table, times } from '../table';
import { boundsOf } from './bounds';
import type { Events, FileRun, Files, ListRun, Results } from './results';
import { ENGINE_NAMES, millionTable, MODE_NAMES, resumeTable } from './tables';

/** What a person reads of a run, without the lists that are on the page for users; `tablesOf` has everything. */
export function pageParts(results: Results): string[] {
	const { events, workers, resume } = results;
	const tables = [
		...(events.length > 0 ? [eventTable(events)] : []),
		...(workers.length > 0 ? [millionTable(workers)] : []),
		...(resume ? [resumeTable(resume)] : []),
	];
	return [
		...tables.map(markdown),
		...boundParts(boundsOf(results)),
		...results.files.flatMap(roomForPackage),
	];
}

/** What n8n's requests take is no package's to change. */
function roomForPackage({ rows, file, items, requests, live }: Files): string[] {
	if (requests === undefined || live.requests === undefined) return [];
	const peak = (run: FileRun) => run.peakBytes - run.restBytes;
	const inUse = { items: peak(items), requests: peak(requests), file: peak(file) };
	const share = times(inUse.requests / inUse.items);
	const heap = {
		items: live.items.bytes,
		requests: live.requests.bytes,
		file: live.file.bytes,
	};
	return [
		`Of the ${megabytes(inUse.items)} that ${count(rows)} rows take as items, n8n’s requests alone take ${megabytes(inUse.requests)}, or ${share}: ${megabytes(inUse.items / 2 - inUse.requests)} are left for the package below the bound of half, and it takes ${megabytes(inUse.file - inUse.requests)}. Of the items’ live heap of ${megabytes(heap.items, 1)}, the requests take ${megabytes(heap.requests, 1)}: ${megabytes(heap.items / 2 - heap.requests, 1)} are left, and the package takes ${megabytes(heap.file - heap.requests, 1)}.`,
	];
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
