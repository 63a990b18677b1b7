import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { CallVerification } from '../../harness/engine/builtPackage';
import { runNode } from '../../harness/engine/n8nCore';
import { wire } from './wire';

const ROOT = join(__dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[] };
};

/** The context of n8n 1.70, without later additions. */
const LATER = { addExecutionHints: { value: undefined }, isToolExecution: { value: undefined } };

const node = new CallVerification();
const inOlderN8n: INodeType = {
	description: node.description,
	async execute(this: IExecuteFunctions) {
		return await node.execute.call(Object.create(this, LATER) as IExecuteFunctions);
	},
};

describe('n8n before 1.67, which is too old', () => {
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
		expect(thrownBy(tooOld)).toMatchObject({ message: sentence, stack: sentence });
	});
});

describe('n8n before 1.79, which has no hints after a run', () => {
	it('gets all results of a paid list', async () => {
		const sent = wire({ body: { source: '7', phone: 7, cost: 0.1, balance: 1 } });
		const { success, hints, error } = await runNode({
			parameters: { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' },
			items: [{ phone: '+79000000001' }, { phone: '+79000000002' }],
			implementation: inOlderN8n,
		});
		expect(error).toBeUndefined();
		expect(sent).toHaveLength(2);
		expect(success.map(({ json }) => json.valid)).toEqual([true, true]);
		expect(hints).toEqual([]);
	});
});

function thrownBy(action: () => void): unknown {
	try {
		action();
	} catch (error) {
		return error;
	}
	return undefined;
}
