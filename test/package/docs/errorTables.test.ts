import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { notedTables, ROOT } from './pages';

const NODES = join(ROOT, 'nodes');

const sources = readdirSync(NODES, { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.map((file) => readFileSync(join(NODES, file), 'utf8').replaceAll("\\'", "'"))
	.join('\n');

const messages = notedTables
	.filter(({ note }) => note === 'errors')
	.flatMap(({ page, rows }) => rows.map(([message = '']) => ({ page, message })));

describe('the tables of errors', () => {
	it('exist', () => {
		expect(messages.length).toBeGreaterThan(0);
	});

	// “…” stands for a value the node fills in.
	it.each(messages)('$page: “$message” is what the node says', ({ message }) => {
		const missing = message
			.split('…')
			.map((part) => part.trim())
			.filter((part) => part !== '' && !sources.includes(part));
		expect(missing).toEqual([]);
	});
});
