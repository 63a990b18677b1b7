import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireFreeSpace } from '../../../harness/setup/diskSpace';
import { npm } from '../../../harness/setup/npm';
import { installOnce } from '../../../harness/setup/stagedInstall';

let cache: string;
let reports: string[];

beforeEach(async () => {
	cache = await mkdtemp(join(tmpdir(), 'staged-install-test-'));
	reports = [];
});

afterEach(async () => {
	await rm(cache, { recursive: true, force: true });
});

test('an installation appears under its name only when complete', async () => {
	const folder = join(cache, 'thing');
	await install(async () => expect(existsSync(folder)).toBe(false));

	expect(await readFile(join(folder, 'built'), 'utf8')).toBe('yes');
	expect(existsSync(`${folder}.partial`)).toBe(false);
});

test('an interrupted step is repeated, those before it are not', async () => {
	const interrupted = install(async () => {
		throw new Error('interrupted');
	});
	await expect(interrupted).rejects.toThrow('interrupted');
	expect(existsSync(join(cache, 'thing'))).toBe(false);

	const runs = await install();

	expect(runs).toEqual(['build']);
	expect(await readFile(join(cache, 'thing', 'downloaded'), 'utf8')).toBe('yes');
});

test('a complete installation is not touched again', async () => {
	await install();

	expect(await install()).toEqual([]);
});

test('a folder that was filled manually is used if it works', async () => {
	await mkdir(join(cache, 'thing'));
	await writeFile(join(cache, 'thing', 'built'), 'yes');

	expect(await install()).toEqual([]);
});

test('a folder that does not work is replaced', async () => {
	await mkdir(join(cache, 'thing'));
	await writeFile(join(cache, 'thing', 'rubbish'), 'yes');

	expect(await install()).toEqual(['download', 'build']);
	expect(existsSync(join(cache, 'thing', 'rubbish'))).toBe(false);
});

test('two concurrent runs install once', async () => {
	const runs = await Promise.all([install(), install()]);

	expect(runs.flat()).toEqual(['download', 'build']);
	expect(reports.filter((line) => line.startsWith('Another process'))).toHaveLength(1);
});

test('too little disk space is reported before anything is downloaded', async () => {
	await expect(requireFreeSpace(cache, 1e18, 'Installing n8n')).rejects.toThrow(
		/Installing n8n needs 1000000000\.0 GB of disk space, but .* has only .* left/,
	);
});

test('an unreachable registry is reported in plain words', async () => {
	const unreachable = ['--registry', 'http://127.0.0.1:9', '--fetch-retries=0'];

	await expect(
		npm(['view', 'a-package-that-is-in-no-cache', ...unreachable], { cwd: cache }),
	).rejects.toThrow('The npm registry could not be reached: check the network');
});

async function install(building: () => Promise<void> = async () => {}): Promise<string[]> {
	const runs: string[] = [];
	await installOnce(
		{
			title: 'Thing 1.0',
			folder: join(cache, 'thing'),
			installedBytes: 1000,
			freeBytesToInstall: 1000,
			steps: [
				{
					name: 'download',
					run: async (partial) => {
						runs.push('download');
						await writeFile(join(partial, 'downloaded'), 'yes');
					},
				},
				{
					name: 'build',
					run: async (partial) => {
						await building();
						runs.push('build');
						await writeFile(join(partial, 'built'), 'yes');
					},
				},
			],
			works: async (folder) => existsSync(join(folder, 'built')),
		},
		(line) => reports.push(line),
	);
	return runs;
}
