import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * `atOnce.ts typecheck lint` runs these npm scripts, as many at a time as there are cores, and prints what each has
 * said when it ends. If some fail, the others still run, and the exit code is 1.
 */
const waiting = process.argv.slice(2);

async function runScript(name: string): Promise<void> {
	const startedAt = Date.now();
	const npm = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
	const said: Buffer[] = [];
	for (const stream of [npm.stdout, npm.stderr]) {
		stream.on('data', (chunk: Buffer) => said.push(chunk));
	}
	const isFine = await new Promise<boolean>((resolve) => {
		npm.once('error', (error) => {
			said.push(Buffer.from(`${error.message}\n`));
			resolve(false);
		});
		npm.once('close', (code) => resolve(code === 0));
	});
	if (!isFine) process.exitCode = 1;
	const seconds = Math.round((Date.now() - startedAt) / 1_000);
	process.stdout.write(
		`npm run ${name}: ${isFine ? 'passed' : 'failed'} after ${seconds} s\n${Buffer.concat(said).toString()}`,
	);
}

async function runThoseThatWait(): Promise<void> {
	for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
		await runScript(name);
	}
}

void Promise.all(Array.from({ length: availableParallelism() }, runThoseThatWait));
