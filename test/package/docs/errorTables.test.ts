import { filesIn, read } from '../project';
import { notedTables } from './pages';

const sources = filesIn('nodes', /\.ts$/)
	.map((file) => read(file).replaceAll("\\'", "'"))
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
