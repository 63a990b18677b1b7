import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

export interface Command {
	readonly title: string;
	readonly words: readonly string[];
}

/** As many at a time as there are cores. Prints what each has said when it ends; returns the titles of those that failed. */
export async function runAtOnce(commands: readonly Command[]): Promise<string[]> {
	const waiting = [...commands];
	const failed: string[] = [];
	const work = async () => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
			if (!(await runQuietly(next))) failed.push(next.title);
		}
	};
	await Promise.all(Array.from({ length: availableParallelism() }, work));
	return failed;
}

/** With its output as it comes. */
export async function runShown([program = '', ...args]: readonly string[]): Promise<boolean> {
	const child = spawn(program, args, { stdio: 'inherit' });
	return await new Promise((resolve) => {
		child.once('error', (error) => {
			console.error(error.message);
			resolve(false);
		});
		child.once('close', (code) => resolve(code === 0));
	});
}

/**
 * One thread for files: of several, glibc before 2.41 may wake none (its bug 25847), and a check that then waits for
 * its last file waits for ever. Seen with Prettier on a busy machine.
 */
const ONE_THREAD = { UV_THREADPOOL_SIZE: '1' };

async function runQuietly({ title, words: [program = '', ...args] }: Command): Promise<boolean> {
	const startedAt = Date.now();
	const child = spawn(program, args, {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...process.env, ...ONE_THREAD },
	});
	const said: Buffer[] = [];
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => said.push(chunk));
	}
	const isFine = await new Promise<boolean>((resolve) => {
		child.once('error', (error) => {
			said.push(Buffer.from(`${error.message}\n`));
			resolve(false);
		});
		child.once('close', (code) => resolve(code === 0));
	});
	const seconds = Math.round((Date.now() - startedAt) / 1_000);
	process.stdout.write(
		`${title}: ${isFine ? 'passed' : 'failed'} after ${seconds} s\n${Buffer.concat(said).toString()}`,
	);
	return isFine;
}

/**
 * `atOnce.ts typecheck lint -- jest unit` runs these npm scripts at the same time, and then the command after the dashes,
 * whatever they have found. The exit code is 1 if any of them failed.
 */
async function main(): Promise<void> {
	const args = process.argv.slice(2);
	const dashes = args.indexOf('--');
	const scripts = dashes === -1 ? args : args.slice(0, dashes);
	const failed = await runAtOnce(
		scripts.map((name) => ({ title: `npm run ${name}`, words: ['npm', 'run', '--silent', name] })),
	);
	const last = dashes === -1 ? [] : args.slice(dashes + 1);
	if (last.length > 0 && !(await runShown(last))) failed.push(last.join(' '));
	if (failed.length === 0) return;
	console.error(`\nFailed: ${failed.join(', ')}`);
	process.exitCode = 1;
}

// `npm run check` uses the rest of this file.
if (require.main === module) void main();
