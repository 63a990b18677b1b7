import { join } from 'node:path';

import { invitation } from '../../scripts/demo/invitation';
import type { WorkflowFile } from '../../harness';
import { manifest, read } from './project';

const example = (name: string) => JSON.parse(read(`examples/${name}.json`)) as WorkflowFile;

describe('the output of “npm start”', () => {
	const invited = {
		n8nUrl: 'http://127.0.0.1:25678',
		standIn: { url: 'http://127.0.0.1:25679', secretKey: 'the-key', serviceId: '1001' },
		filesFolder: '/somewhere/files',
		published: new Map([
			['check-list-form', 'http://127.0.0.1:25678/form/list'],
			['call-and-check-code', 'http://127.0.0.1:25678/form/called'],
			['verify-by-inbound-call', 'http://127.0.0.1:25678/form/calls'],
			['login-api', undefined],
			['on-inbound-call', undefined],
		]),
	};

	it('begins with the form that takes a list, and the three tasks', () => {
		const [first, , ...rest] = invitation(invited).split('\n');
		expect(first).toBe('Drop a CSV here: http://127.0.0.1:25678/form/list');
		expect(rest.slice(0, 6)).toEqual([
			expect.stringMatching(/^1\. Check a list: /),
			`   ${join('/somewhere/files', 'sample', 'phones.csv')}`,
			expect.stringMatching(/^2\. Call someone with a code: /),
			'   http://127.0.0.1:25678/form/called',
			expect.stringMatching(/^3\. Let someone call you: /),
			'   http://127.0.0.1:25678/form/calls',
		]);
	});

	it('shows a request to every webhook of the published examples', () => {
		const commands = [
			...invitation(invited).matchAll(/npm run -s request -- (?:--get )?(\S+) (.+)/g),
		];
		const paths = ['login-api', 'on-inbound-call'].flatMap((name) =>
			example(name).nodes.flatMap(({ type, parameters }) =>
				type === 'n8n-nodes-base.webhook' ? [parameters?.path] : [],
			),
		);
		expect(paths).toHaveLength(4);
		expect(commands.map(([, address = '']) => address.split('/webhook/')[1])).toEqual(paths);
		for (const [, , fields = ''] of commands) expect(fields).toMatch(/^(\w+=\S+ ?)+$/);
		expect(manifest.scripts).toHaveProperty('request');
	});
});
