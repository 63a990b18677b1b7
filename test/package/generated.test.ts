import { spawnSync } from 'node:child_process';

import { outputRows, outputSources } from '../../scripts/generate/rows';
import { ROOT } from './project';

/** Schemas, tables in the documentation, the README's operations, the panels that the browser tests expect. */
describe('everything generated from the operations and the contract', () => {
	it('is up to date', () => {
		const command = ['-r', './scripts/typescript.js', 'scripts/generate.ts', '--check'];
		const { stdout, stderr } = spawnSync('node', command, { cwd: ROOT, encoding: 'utf8' });
		expect(`${stdout}${stderr}`).toBe('');
	});

	it.each([...outputSources])(
		'says what each output field of %s means, starting in lower case',
		(_name, fields) => {
			const unclear = outputRows(fields).filter(([, , meaning = '']) => !/^[^A-Z\s]/.test(meaning));
			expect(unclear).toEqual([]);
		},
	);
});
