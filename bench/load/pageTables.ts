import { markdown } from '../markdown';
import { boundParts } from '../pageTables';
import { count, type Table, times } from '../tables';
import { boundsOf } from './bounds';
import type { Events, Results } from './results';
import { ENGINE_NAMES, MODE_NAMES, resumeTable } from './tables';
import { millionTable } from './workersTables';

/** What a person reads of a run, without the lists that are on the page for users; `tablesOf` has everything. */
export function pageParts(results: Results): string[] {
	const { events, workers, resume } = results;
	const tables = [
		...(events.length > 0 ? [eventTable(events)] : []),
		...(workers.length > 0 ? [millionTable(workers)] : []),
		...(resume ? [resumeTable(resume)] : []),
	];
	return [...tables.map(markdown), ...boundParts(boundsOf(results))];
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
