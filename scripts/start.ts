import { SetupProblem, stopOnSignal } from '../test/real-n8n';
import { endWithNpm } from './demo/endWithNpm';
import { readFlags, USAGE } from './demo/flags';
import { invitation } from './demo/invitation';
import { proceedings } from './demo/mainJobReport';
import { startDemo } from './demo/startDemo';
import { runMainJob } from './demo/mainJob';
import { step } from './demo/step';

/** What has to be undone at the end, however that comes; n8n and npm are ended by their guards. */
const undo: Array<() => Promise<void>> = [];
let interrupted = false;

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	if (flags.help) return console.log(USAGE);
	stopOnSignal(async () => {
		interrupted = true;
		console.log('\nStopping …');
		await undoAll();
	});
	endWithNpm();

	console.log('Call Verification in a real n8n, with an emulated service, on this machine only.\n');
	const demo = await startDemo(flags, undo);
	const result = await step('Running the main job: a phone list and a call', async () => {
		return await runMainJob(demo);
	});
	console.log(proceedings(result));
	if (result.problems.length > 0) process.exitCode = 1;
	if (flags.once) return await undoAll();

	console.log(await invitation(demo));
	await demo.n8n.ended;
	if (interrupted) return;
	console.error(`n8n has ended by itself. The end of its log:\n${demo.n8n.log().slice(-3000)}`);
	process.exitCode = 1;
	await undoAll();
}

async function undoAll(): Promise<void> {
	for (const action of undo.splice(0).reverse()) await action();
}

main().catch(async (error: unknown) => {
	if (interrupted) return;
	await undoAll();
	console.error(`\n${error instanceof SetupProblem ? error.message : describe(error)}`);
	process.exitCode = 1;
});

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
