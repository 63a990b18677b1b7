import { join } from 'node:path';
import { inFolder } from '../../test/e2e/inFolder';
import { type Emulator, startEmulator } from '../../test/emulator/emulator';
import {
	connect,
	filesOf,
	type N8nClient,
	n8nProgram,
	packProject,
	readWorkflowFiles,
	type RunningN8n,
	startN8n,
	startsByItself,
	type WorkflowFile,
} from '../../test/real-n8n';
import type { Flags } from './flags';
import { step } from './step';

/** What the webhooks of the examples ask for. Nobody but this machine can reach them. */
export const API_HEADER = { name: 'X-Api-Key', value: 'call-verification' };

const EXAMPLES = join(__dirname, '..', '..', 'examples');

/** The trigger of examples that need something made first. */
const SET_UP = 'Run Once';

export interface Demo {
	readonly emulator: Emulator;
	readonly n8n: RunningN8n;
	readonly client: N8nClient;
	/** Ids of the imported examples, by the names of their files without ".json". */
	readonly workflowIds: ReadonlyMap<string, string>;
}

/** Sets everything up. Whatever has to be undone later is added to `undo` as soon as it is there. */
export async function startDemo(
	{ port }: Pick<Flags, 'port'>,
	undo: Array<() => Promise<void>>,
): Promise<Demo> {
	const program = await n8nProgram('2.x', { acceptInstalled: true, report: indented });
	const packed = await step('Building and packing this package', packProject);
	undo.push(packed.remove);

	const emulator = await startEmulator();
	undo.push(async () => await emulator.close());
	const n8n = await step(`Starting n8n ${program.version} with the package in it`, async () => {
		const settings = { GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone };
		return await startN8n(program, { packages: [packed.tarball], port, settings });
	});
	await packed.remove();
	undo.push(n8n.stop);

	const client = await connect(n8n);
	const workflowIds = await step('Importing the credential and the examples', async () => {
		await createCredentials(client, emulator);
		return await importExamples(client, n8n);
	});
	return { emulator, n8n, client, workflowIds };
}

/** Under the names that n8n itself would give them, by which the examples find them. */
async function createCredentials(client: N8nClient, emulator: Emulator): Promise<void> {
	await client.credentials.create('Call Verification account', 'callVerificationApi', {
		baseUrl: emulator.url,
		secretKey: emulator.secretKey,
		serviceId: emulator.serviceId,
		authScheme: 'header',
		addressMode: 'primary',
	});
	await client.credentials.create('Header Auth account', 'httpHeaderAuth', API_HEADER);
}

async function importExamples(
	{ workflows, executions, credentials }: N8nClient,
	{ userFolder }: RunningN8n,
): Promise<Map<string, string>> {
	const ids = new Map<string, string>();
	const known = (await credentials.list()).map(({ name }) => name);
	for (const [name, file] of await readWorkflowFiles(EXAMPLES)) {
		const usesFiles = name === 'check-phone-list';
		const { id } = await workflows.create(usesFiles ? inFolder(file, filesOf(userFolder)) : file);
		ids.set(name, id);
		// What lacks a credential, e.g. of a database, could only fail.
		if (!startsByItself(file) || !credentialsOf(file).every((name) => known.includes(name)))
			continue;
		if (file.nodes.some((node) => node.name === SET_UP)) {
			await executions.wait(await workflows.run(id, SET_UP));
		}
		await workflows.publish(id);
	}
	return ids;
}

function credentialsOf({ nodes }: WorkflowFile): string[] {
	return nodes.flatMap(({ credentials }) =>
		Object.values(credentials ?? {}).map(({ name }) => name),
	);
}

function indented(line: string): void {
	console.log(`  ${line}`);
}
