import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** So many that two processes which do not know of each other would choose the same one, whatever chance has in store. */
const COUNT = 500;

let running: ChildProcess[] = [];

afterEach(() => {
	for (const each of running) each.kill('SIGKILL');
	running = [];
});

test('two processes that choose ports at the same time never get the same one, though nothing listens there', async () => {
	const [one, other] = await Promise.all([chosen(), chosen()]);
	expect(new Set([...one, ...other]).size).toBe(2 * COUNT);
});

/** The ports that another process chooses, which then goes on. */
async function chosen(): Promise<number[]> {
	const script = `
		const { freePorts } = require('../../../harness/process/loopback.ts');
		freePorts(${COUNT}).then((ports) => console.log(ports.join(' ')));
		setInterval(() => {}, 1000);`;
	const hook = join(__dirname, '../../../scripts/typescript.js');
	const chooser = spawn(process.execPath, ['-r', hook, '-e', script], { cwd: __dirname });
	running.push(chooser);
	chooser.stderr.pipe(process.stderr);
	const [printed] = (await once(chooser.stdout, 'data')) as [Buffer];
	return printed.toString().trim().split(' ').map(Number);
}
