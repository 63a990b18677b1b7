import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { CallVerification } from '../../harness/engine/builtPackage';
import { credential, runNode, SECRET_KEY } from '../../harness/engine/n8nCore';
import { wire } from './wire';

/** The built node, with what it writes into n8n's log at debug level. */
function loggedNode(): { implementation: INodeType; lines: string[] } {
	const lines: string[] = [];
	const node = new CallVerification();
	const ignore = () => {};
	const logger = {
		value: { debug: (line: string) => lines.push(line), info: ignore, warn: ignore, error: ignore },
	};
	return {
		lines,
		implementation: {
			description: node.description,
			async execute() {
				return await node.execute.call(Object.create(this, { logger }) as IExecuteFunctions);
			},
		},
	};
}

describe('n8n’s log at debug level', () => {
	it.each(['header', 'body', 'query'])(
		'follows each request without the key, the number or the code (%s scheme)',
		async (authScheme) => {
			wire({ status: 503, body: 'down' }, { body: { source: '7', phone: 79000000001, cost: 0 } });
			const { implementation, lines } = loggedNode();
			await runNode({
				parameters: { resource: 'phoneNumber', operation: 'check', phone: '+79000000001' },
				credential: credential({ authScheme }),
				implementation,
			});
			const verb = authScheme === 'query' ? 'GET' : 'POST';
			const start = `${verb} https://service.test/v1.0/checkPhone: `;
			expect(lines.map((line) => line.replace(/\d+ ms/, 'n ms'))).toEqual([
				`${start}503 in n ms, try 1`,
				`${start}200 in n ms, try 2`,
			]);
			expect(lines.join()).not.toContain(SECRET_KEY);
		},
	);
});
