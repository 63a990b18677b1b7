import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { runNode } from '../../harness/engine/n8nCore';
import { wire } from './wire';

const ROOT = join(__dirname, '..', '..');
const ACCOUNT = join('nodes', 'CallVerification', 'operations', 'account');

/** What the guide shows under "Adding a method of the service", done to a copy of the sources. */
describe('adding a method as the contributing guide shows it', () => {
	const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
	const [newFile, line] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(
		([, code]) => code ?? '',
	);
	let folder: string;

	beforeAll(() => {
		folder = mkdtempSync(join(ROOT, 'node_modules', '.contributing-'));
		for (const part of ['nodes', 'credentials', 'tsconfig.json', 'package.json']) {
			cpSync(join(ROOT, part), join(folder, part), { recursive: true });
		}
		symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
		writeFileSync(join(folder, ACCOUNT, 'getTariffs.ts'), newFile ?? '');
		const index = join(folder, ACCOUNT, 'index.ts');
		writeFileSync(
			index,
			readFileSync(index, 'utf8')
				.replace(/\toperations: .*\n/, line ?? '')
				.replace(/^/, "import { getTariffs } from './getTariffs';\n"),
		);
		execFileSync(join(ROOT, 'node_modules', '.bin', 'tsc'), { cwd: folder, stdio: 'pipe' });
	}, 120_000);

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('takes one new file and one line, and the method works', async () => {
		const load = createRequire(__filename);
		const { CallVerification } = load(
			join(folder, 'dist', 'nodes', 'CallVerification', 'CallVerification.node.js'),
		) as typeof import('../../nodes/CallVerification/CallVerification.node');
		const sent = wire({ body: { status: true, country: 'DE', price: 1 } });
		const parameters = { resource: 'account', operation: 'getTariffs', country: 'DE' };
		const { success, error } = await runNode({
			parameters,
			implementation: new CallVerification(),
		});
		expect(error).toBeUndefined();
		expect(sent.map(({ path, fields }) => [path, fields])).toEqual([
			['/v1.0/getTariffs', { country: 'DE' }],
		]);
		expect(success[0]?.json).toEqual({ status: true, country: 'DE', price: 1 });
	});
});
