import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { type Emulator, startEmulator } from '../../emulator/emulator';
import type { ServiceName } from '../../emulator/played/services';
import {
	cacheFolder,
	connect,
	formUrl,
	isPortFree,
	type N8nClient,
	n8nProgram,
	packProject,
	type RunningN8n,
	startN8n,
} from '../../harness';
import { startableLine } from '../../harness/setup/n8nProgram';
import { formatDuration } from '../../harness/setup/report';
import { importExamples, standInCredentials } from './importExamples';

/** Keeps the user's work between starts. */
export const KEPT_FOLDER = join(cacheFolder(), 'start');

/** Always the same, so that bookmarks, webhook URLs and the stored credential work after the next start. */
const N8N_PORT = 25_678;
const EMULATOR_PORT = 25_679;

export interface Demo {
	readonly emulator: Emulator;
	readonly n8n: RunningN8n;
	readonly client: N8nClient;
	/** IDs of the imported examples, by file name without ".json". */
	readonly workflowIds: ReadonlyMap<string, string>;
	/** Whether this n8n has been started before. */
	readonly startedBefore: boolean;
}

interface DemoOptions {
	/** Of the n8n editor. */
	readonly port?: number;
	/** Whose answers the emulated service gives. */
	readonly as?: ServiceName;
	/** n8n's user folder; without it, everything is removed at the end. */
	readonly userFolder?: string;
}

/** Sets everything up. Adds to `undo` immediately what has to be undone later. */
export async function startDemo(
	{ port, as, userFolder }: DemoOptions,
	undo: Array<() => Promise<void>>,
): Promise<Demo> {
	const startedBefore = userFolder !== undefined && existsSync(userFolder);
	// At the same time, because one waits for the network and the other for the processor.
	const [program, packed] = await Promise.all([
		step('Getting n8n (about 3 minutes and 3 GB, once)', async () => {
			return await n8nProgram(startableLine(), { acceptInstalled: true, report: indented });
		}),
		step('Building this package meanwhile (about a minute)', async () => {
			const project = await packProject();
			undo.push(project.remove);
			return project;
		}),
	]);

	const emulator = await startEmulator({ as, port: await freeOf(EMULATOR_PORT) });
	undo.push(async () => await emulator.close());
	const n8n = await step(
		`Starting n8n ${program.version} with the package in it (half a minute)`,
		async () => {
			const settings = { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone };
			const usualPort = (await freeOf(N8N_PORT)) || undefined;
			const packages = [packed.tarball];
			return await startN8n(program, { userFolder, packages, port: port ?? usualPort, settings });
		},
	);
	await packed.remove();
	undo.push(n8n.stop);

	const client = await connect(n8n);
	const workflowIds = await step(
		'Importing the credential and the examples (seconds)',
		async () => {
			await standInCredentials(client, emulator);
			return await importExamples(client, n8n);
		},
	);
	return { emulator, n8n, client, workflowIds, startedBefore };
}

/** The port if it is free, otherwise 0 for any. */
async function freeOf(port: number): Promise<number> {
	return (await isPortFree(port)) ? port : 0;
}

function indented(line: string): void {
	console.log(`  ${line}`);
}

/** Prints what is being done, and how long it took. Steps can overlap, so the end names its step, too. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
	console.log(`· ${title} …`);
	const started = Date.now();
	const result = await work();
	const [name] = title.split(' (');
	console.log(`✓ ${name}: ${formatDuration(Date.now() - started)}`);
	return result;
}

/** The URL of an example's form. */
export async function formOf({ client, n8n, workflowIds }: Demo, name: string): Promise<string> {
	return formUrl(n8n.url, await client.workflows.get(workflowIds.get(name) ?? ''));
}
