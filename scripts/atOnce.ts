import { runAtOnce, runShown } from './commands';

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

void main();
