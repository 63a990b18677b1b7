import { outputRows, outputSources } from '../../../scripts/generate/rows';
import { codeBlocks } from './pages';

const samples = codeBlocks.filter(({ note }) => note.startsWith('shape '));

describe('the samples of output that no test can run', () => {
	it.each(samples)('the sample with the $note has the fields of the output', ({ note, code }) => {
		const fields = outputSources.get(note.slice('shape '.length)) ?? {};
		const sample = JSON.parse(code) as Record<string, unknown>;
		expect(Object.entries(sample).map(([name, value]) => [`\`${name}\``, typeof value])).toEqual(
			outputRows(fields).map((cells) => cells.slice(0, 2)),
		);
	});
});
