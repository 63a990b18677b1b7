import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import type { ServiceName } from '../emulator/played/services';
import { SetupProblem, stopOnSignal } from '../harness';
import { endWithNpm } from '../harness/process/guardedProcess';
import { tryInstallLock } from '../harness/setup/installFolder';
import { invitation, invited } from './demo/invitation';
import { proceedings, runMainJob } from './demo/mainJob';
import { type Demo, KEPT_FOLDER, startDemo, step } from './demo/startDemo';
import { portNumber, serviceName } from './flags';

const USAGE = `Usage: npm start -- [--fresh] [--once] [--port N] [--as contract|ucaller]

--fresh   start from scratch: remove everything from earlier starts
--once    run two examples in a temporary n8n, then stop; the exit code is 0 only if the results are right
--port N  port of the n8n editor, on the loopback address
--as      whose answers the emulated service gives: the contract's, or those of the public service`;

interface Flags {
	readonly fresh: boolean;
	readonly once: boolean;
	readonly port?: number;
	readonly as?: ServiceName;
	readonly help: boolean;
}

/** What has to be undone at the end, for whatever reason it ends; guards end n8n and npm. */
const undo: Array<() => Promise<void>> = [];
let interrupted = false;

const WHAT = `Call Verification in a real n8n with an emulated service, all on this machine.
The first start takes about 4 minutes, more where n8n has to compile its database driver; later ones take one.
`;

/** A newer n8n may have used the folder, or the password may have been changed. */
const STUCK = `If data from an earlier start in ${KEPT_FOLDER} is the cause, "npm start -- --fresh" starts from scratch.`;

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	if (flags.help) return console.log(USAGE);
	stopOnSignal(async () => {
		interrupted = true;
		console.log('\nStopping …');
		await undoAll();
	});
	endWithNpm();

	console.log(WHAT);
	const userFolder = flags.once ? undefined : await keptFolder(flags);
	const { port, as } = flags;
	const demo = await startDemo({ port, as, userFolder }, undo).catch((error: unknown) => {
		if (error instanceof SetupProblem || userFolder === undefined) throw error;
		throw new SetupProblem(`${describe(error)}\n\n${STUCK}`);
	});
	// At a later start, the user may have changed the examples.
	if (!demo.startedBefore) await showMainJob(demo);
	if (flags.once) return await undoAll();

	console.log(invitation(await invited(demo)));
	await demo.n8n.ended;
	if (interrupted) return;
	console.error(`n8n stopped unexpectedly. The end of its log:\n${demo.n8n.log().slice(-3000)}`);
	process.exitCode = 1;
	await undoAll();
}

function readFlags(argv: readonly string[]): Flags {
	try {
		const { values } = parseArgs({
			args: [...argv],
			options: {
				fresh: { type: 'boolean', default: false },
				once: { type: 'boolean', default: false },
				port: { type: 'string' },
				as: { type: 'string' },
				help: { type: 'boolean', short: 'h', default: false },
			},
		});
		const { port, as } = values;
		return {
			...values,
			port: port === undefined ? undefined : portNumber('--port', port),
			as: as === undefined ? undefined : serviceName(as),
		};
	} catch (error) {
		throw new SetupProblem(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
	}
}

/** Locked by one start at a time, because two n8ns would corrupt the database. */
async function keptFolder({ fresh }: Flags): Promise<string> {
	const release = await tryInstallLock(KEPT_FOLDER);
	if (!release) {
		throw new SetupProblem(
			'"npm start" is already running. Stop it first, or use "npm start -- --once", which starts its own n8n.',
		);
	}
	undo.push(async () => release());
	if (fresh) await rm(KEPT_FOLDER, { recursive: true, force: true });
	return KEPT_FOLDER;
}

async function showMainJob(demo: Demo): Promise<void> {
	const result = await step('Running two examples: a phone list and a call (seconds)', async () => {
		return await runMainJob(demo);
	});
	console.log(proceedings(result));
	if (result.problems.length > 0) process.exitCode = 1;
}

async function undoAll(): Promise<void> {
	for (const action of undo.splice(0).reverse()) await action();
}

main().catch(async (error: unknown) => {
	if (interrupted) return;
	await undoAll();
	console.error(`\n${error instanceof SetupProblem ? error.message : describe(error)}`);
	// Whatever is still being fetched or built ends, too.
	process.exit(1);
});

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
