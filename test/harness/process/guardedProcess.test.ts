import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesInGroup } from '../../../harness/process/guardedProcess';
import { waitUntil } from '../../../harness/process/waitUntil';

/** A process with a child process. */
const FAMILY = 'sleep 600 & echo started; wait';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'guarded-process-test-'));
});

afterEach(async () => {
	await rm(folder, { recursive: true, force: true });
});

describe('when the parent program is killed', () => {
	test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('by %s, nothing is left', async (signal) => {
		const { starter, pid } = await starterWithFamily('');

		starter.kill(signal);
		await once(starter, 'exit');

		await waitUntil(async () => (isGone(pid) ? true : undefined), {
			what: 'the guard has cleared up',
			limit: 20_000,
			seen: () => `processes ${processesInGroup(pid).join(', ')}, folder ${existsSync(folder)}`,
		});
	});

	test.each([
		['SIGTERM', 143],
		['SIGINT', 130],
	] as const)('by %s and handles signals, nothing is left when it ends', async (signal, code) => {
		const { starter, pid } = await starterWithFamily('stopOnSignal();');

		starter.kill(signal);
		const [exitCode] = (await once(starter, 'exit')) as [number | null];

		expect(exitCode).toBe(code);
		expect(isGone(pid)).toBe(true);
	});
});

function isGone(pid: number): boolean {
	return processesInGroup(pid).length === 0 && !existsSync(folder);
}

/** A separate Node process that starts a guarded process with children and prints its id. */
async function starterWithFamily(preparation: string) {
	const script = `
		const { startGuarded, stopOnSignal } = require('../../../harness/process/guardedProcess.ts');
		${preparation}
		startGuarded('sh', ['-c', ${JSON.stringify(FAMILY)}], { cwd: '/', env: process.env, discard: process.argv[1] })
			.then(({ pid }) => console.log(pid));
		setInterval(() => {}, 1000);`;
	const hook = join(__dirname, '../../../scripts/typescript.js');
	const starter = spawn(process.execPath, ['-r', hook, '-e', script, folder], { cwd: __dirname });
	starter.stderr.pipe(process.stderr);
	const [printed] = (await once(starter.stdout, 'data')) as [Buffer];
	return { starter, pid: Number.parseInt(printed.toString(), 10) };
}
