import { spawnSync } from 'node:child_process';
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

import { runNode } from '../../harness/engine/n8nCore';
import { credentialFor } from './wire';

const ROOT = join(__dirname, '..', '..');
const PARTS = [
	'nodes',
	'credentials',
	'emulator',
	'scripts',
	// For its tables.
	'bench',
	'docs',
	'examples',
	'README.md',
	'package.json',
	'.prettierrc',
];
const SCHEMA = 'nodes/CallVerification/__schema__/v1.0.0/account/getTariffs.json';

/** Follows the guide's "Adding a method of the service" on a copy of the sources. */
describe('adding a method as the contributing guide shows', () => {
	const guide = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
	const steps = [
		...guide.matchAll(
			/^(?:Add to )?`(\S+)`(?:, at the end of `(\w+)`:)?\n\n```ts\n([\s\S]*?)```/gm,
		),
	].map(([, path = '', list = '', code = '']) => ({ path, list, code }));
	const load = createRequire(__filename);
	let folder: string;

	const read = (path: string) => readFileSync(join(folder, path), 'utf8');

	/** Writes a new file as shown; adds the import or the definition, and the entry to a list that is already there. */
	function follow({ path, list, code }: (typeof steps)[number]): void {
		const file = join(folder, path);
		if (list === '') return writeFileSync(file, code);
		const [needed = '', entry = ''] = code.split('\n\n');
		const source = readFileSync(file, 'utf8');
		// The list is on one line, or has a line for each entry.
		const ends = new RegExp(`^(.*\\b${list}\\b.*[=:] [[{])(.*?|\n[^]*?)(,?\n?)([\\]}])`, 'm');
		expect(source).toMatch(ends);
		const isImport = needed.startsWith('import');
		const changed = source.replace(ends, `${isImport ? '' : `${needed}\n\n`}$1$2,\n${entry}$4`);
		writeFileSync(file, isImport ? `${needed}\n${changed}` : changed);
	}

	function run(command: string, args: readonly string[]): void {
		const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
		if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
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
		steps.forEach(follow);
		run(join('node_modules', '.bin', 'tsc'), []);
		run('node', ['-r', './scripts/typescript.js', 'scripts/generate.ts']);
	}, 180_000);

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('takes two new files, and an entry in three lists', () => {
		const isNew = ({ path }: (typeof steps)[number]) => !existsSync(join(ROOT, path));
		expect(steps.map((step) => [step.list === '', isNew(step)])).toEqual(
			[false, true, false, true, false].map((isFile) => [isFile, isFile]),
		);
	});

	it('makes a method that works', async () => {
		const { CallVerification } = load(
			join(folder, 'dist', 'nodes', 'CallVerification', 'CallVerification.node.js'),
		) as typeof import('../../nodes/CallVerification/CallVerification.node');
		const { startEmulator } = load(
			join(folder, 'dist', 'emulator', 'emulator.js'),
		) as typeof import('../../emulator/emulator');
		const emulator = await startEmulator();
		const { success, error } = await runNode({
			parameters: { resource: 'account', operation: 'getTariffs', country: 'DE' },
			implementation: new CallVerification(),
			credential: credentialFor(emulator),
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
		expect(read('docs/maintainers/service-contract.md')).toMatch(
			/\| `getTariffs` +\| POST +\| `country`/,
		);
		expect(read('README.md')).toMatch(/\| Get Tariffs +\| Get what calls to a country cost/);
	});
});
