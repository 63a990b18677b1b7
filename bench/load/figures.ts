import { count, type Table } from '../tables';
import type { FileRun, ListRun, Results } from './results';

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
