import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { builtNode } from './builtNode';
import { checkPhone } from './parameters';
import { numbers } from './simulatedRun';
import { runOn } from './wire';

const ROOT = join(__dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[] };
};

describe('n8n before 1.66, which is too old', () => {
	it.each(manifest.n8n.nodes)('is told in one sentence what to do when it loads %s', (file) => {
		const tooOld = () =>
			jest.isolateModules(() => {
				jest.doMock('n8n-workflow', () => ({ NodeApiError: Error, NodeOperationError: Error }));
				jest.doMock('zod', () => {
					throw new Error("Cannot find module 'zod'");
				});
				jest.requireActual(join(ROOT, file));
			});
		const sentence = expect.stringMatching(/^n8n-nodes-call-verification needs n8n 1\.70.*\.$/);
		const problem: Error = expect.objectContaining({ message: sentence, stack: sentence });
		expect(tooOld).toThrow(problem);
	});
});

describe('n8n before 1.79, which has no hints after a run', () => {
	it('gets all results of a paid list', async () => {
		const later = { addExecutionHints: undefined, isToolExecution: undefined };
		const record = { body: { source: '7', phone: 7, cost: 0.1, balance: 1 } };
		const { outputs, sent, hints, error } = await runOn(record, checkPhone(), {
			items: numbers(2),
			implementation: builtNode(() => later),
		});
		expect(error).toBeUndefined();
		expect(sent).toHaveLength(2);
		expect(outputs.map(({ valid }) => valid)).toEqual([true, true]);
		expect(hints).toEqual([]);
	});
});
