import { credential, SECRET_KEY } from '../../harness/engine/n8nCore';
import { builtNode } from './builtNode';
import { checkPhone } from './parameters';
import { runOn } from './wire';

describe('n8n’s log at debug level', () => {
	it.each(['header', 'body', 'query'])(
		'follows each request without the key, the number or the code (%s scheme)',
		async (authScheme) => {
			const lines: string[] = [];
			const ignore = () => {};
			const debug = (line: string) => lines.push(line);
			const logger = { debug, info: ignore, warn: ignore, error: ignore };
			const replies = [
				{ status: 503, body: 'down' },
				{ body: { source: '7', phone: 79000000001 } },
			];
			await runOn(replies, checkPhone({ phone: '+79000000001' }), {
				credential: credential({ authScheme }),
				implementation: builtNode(() => ({ logger })),
			});
			const verb = authScheme === 'query' ? 'GET' : 'POST';
			const start = `${verb} https://service.test/v1.0/checkPhone: `;
			expect(lines.map((line) => line.replace(/\d+ ms/, 'n ms'))).toEqual([
				`${start}503 in n ms, attempt 1`,
				`${start}200 in n ms, attempt 2`,
			]);
			expect(lines.join()).not.toContain(SECRET_KEY);
		},
	);
});
