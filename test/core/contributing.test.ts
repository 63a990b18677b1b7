import { execFileSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { credential, runNode } from '../../harness/engine/n8nCore';

const ROOT = join(__dirname, '..', '..');
const PARTS = ['nodes', 'credentials', 'emulator', 'scripts', 'docs', 'README.md', '.prettierrc'];
const SCHEMA = 'nodes/CallVerification/__schema__/v1.0.0/account/getTariffs.json';

/** Follows the guide's "Adding a method of the service" on a copy of the sources. */
describe('adding a method as the contributing guide shows', () => {
	const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
	const steps = [...guide.matchAll(/^(?:Add these lines to )?`(\S+)`:?\n\n```ts\n([\s\S]*?)```/gm)];
	const load = createRequire(__filename);
	let folder: string;

	const read = (path: string) => readFileSync(join(folder, path), 'utf8');

	/** Writes a new file as shown; adds the shown lines to an existing one. */
	function follow(path: string, code: string): void {
		const file = join(folder, path);
		if (!existsSync(file)) return writeFileSync(file, code);
		const [imports = '', lines = ''] = code.split('\n\n');
		const [first = ''] = lines.split('\n');
		const old = first.includes(':')
			? new RegExp(`^${first.split(':')[0]}:.*\n`, 'm')
			: `${first}\n`;
		const changed = readFileSync(file, 'utf8').replace(old, lines);
		expect(changed).toContain(lines);
		writeFileSync(file, `${imports}\n${changed}`);
	}

	beforeAll(() => {
		folder = mkdtempSync(join(ROOT, 'node_modules', '.contributing-'));
		for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
		symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
		const { compilerOptions } = JSON.parse(
			readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'),
		) as Record<string, object>;
		const include = ['credentials', 'nodes', 'emulator'].map((room) => `${room}/**/*.ts`);
		writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
		for (const [, path = '', code = ''] of steps) follow(path, code);
		execFileSync(join(ROOT, 'node_modules', '.bin', 'tsc'), { cwd: folder, stdio: 'pipe' });
		const generate = ['-r', './scripts/typescript.js', 'scripts/generate.ts'];
		execFileSync('node', generate, { cwd: folder, stdio: 'pipe' });
	}, 180_000);

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('takes three new files, and a line for each', () => {
		const isNew = ([, path = '']: string[]) => !existsSync(join(ROOT, path));
		expect(steps.filter(isNew)).toHaveLength(3);
		expect(steps).toHaveLength(6);
	});

	it('makes a method that works', async () => {
		const { CallVerification } = load(
			join(folder, 'dist', 'nodes', 'CallVerification', 'CallVerification.node.js'),
		) as typeof import('../../nodes/CallVerification/CallVerification.node');
		const { startEmulator } = load(
			join(folder, 'dist', 'emulator', 'emulator.js'),
		) as typeof import('../../emulator/emulator');
		const emulator = await startEmulator();
		const { url: baseUrl, secretKey, serviceId } = emulator;
		const { success, error } = await runNode({
			parameters: { resource: 'account', operation: 'getTariffs', country: 'DE' },
			implementation: new CallVerification(),
			credential: credential({ baseUrl, secretKey, serviceId }),
		});
		await emulator.close();
		expect(error).toBeUndefined();
		expect(success[0]?.json).toEqual({ country: 'DE', price: 0.4 });
	});

	it('leaves schema and documentation to the command', () => {
		expect(JSON.parse(read(SCHEMA))).toEqual({
			type: 'object',
			properties: { country: { type: 'string' }, price: { type: 'number' } },
			version: 1,
		});
		expect(read('docs/reference/account.md')).toMatch(
			/## Account: Get Tariffs\n[\s\S]*\| `price` +\| number +\| what a call/,
		);
		expect(read('docs/maintainers/service-contract.md')).toMatch(/\| `getTariffs` +\| POST +\| `country`/);
		expect(read('README.md')).toMatch(/\| Get Tariffs +\| Get what calls to a country cost/);
	});
});
