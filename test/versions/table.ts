import { type Table } from '../../bench/table';
import type { TriedN8n } from './results';

export function tableOf(tried: readonly TriedN8n[]): Table {
	return {
		title: 'The packed package in whole n8ns',
		head: [
			'n8n',
			'Node',
			'date',
			'nodes',
			'operations',
			'trigger event',
			'Wait',
			'n8n’s own token on resume URLs',
		],
		rows: tried.map((version) => [
			version.defaults ? `${version.n8n} with ${version.defaults}’s defaults` : version.n8n,
			version.node,
			version.date,
			version.nodeTypes.some((name) => name.endsWith('Tool')) ? 'both, and as AI tool' : 'both',
			version.problems.length === 0 ? `all ${version.operations.length}` : 'failed',
			worked(version.triggerEvent),
			worked(version.wait),
			version.resumeToken ? 'yes' : 'no',
		]),
	};
}

function worked(is: boolean): string {
	return is ? 'works' : 'failed';
}
