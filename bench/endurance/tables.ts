import { count, type Table } from '../tables';
import type { Growth } from './growth';
import type { EnduranceResults, Work } from './results';

export function workTable({ minutes, checks, calls, events }: EnduranceResults): Table {
	const row = (name: string, { sent, lost, twice }: Work): string[] => [
		name,
		count(sent),
		count(lost),
		count(twice),
	];
	return {
		title: `${minutes} minutes of mixed load`,
		head: ['', 'sent', 'lost', 'twice'],
		rows: [
			row('numbers checked, in lists of 500', checks),
			row('calls', calls),
			row('events, sealed', events),
		],
	};
}

export function heapTable({ samples, limitBytes }: EnduranceResults, growth: Growth): Table {
	const sizes = samples.slice(-growth.samples).map(({ bytes }) => bytes);
	return {
		title: 'Live heap after the warm-up',
		head: ['', 'measured'],
		rows: [
			['samples', count(growth.samples)],
			['smallest', megabytes(Math.min(...sizes))],
			['largest', megabytes(Math.max(...sizes))],
			[
				'slope ± standard error',
				`${megabytes(growth.bytesPerHour)}/h ± ${megabytes(growth.errorPerHour)}/h`,
			],
			[
				'a day of it, of the heap’s limit',
				`${(growth.shareOfLimitPerDay * 100).toFixed(1)} % of ${megabytes(limitBytes)}`,
			],
			['verdict', growth.isAcceptable ? 'holds' : 'DOES NOT HOLD'],
		],
	};
}

function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(1)} MB`;
}
