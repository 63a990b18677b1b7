import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import {
	filesOf,
	type N8nClient,
	readWorkflowFiles,
	type RunningN8n,
	startsByItself,
	type WorkflowFile,
} from '../../harness';
import { inFolder } from '../../harness/workflows/inFolder';
import { withCountryCode, withSavedExecutions } from '../../harness/workflows/publishedExample';
import {
	fingerprintOf,
	type Imported,
	type ImportedByName,
	nextStep,
	readImported,
	writeImported,
} from './importedExamples';
import { ROOT } from '../project';
import { STAND_IN_TYPES } from './standInCredentials';

/** The form that most users want: a list in, the checked list out. */
export const LIST_FORM = 'check-list-form';

/** The example that "npm start" runs on a sample. */
export const CHECKS_A_LIST = 'check-phone-list';

/** Five good numbers, one of them twice, an invalid one, a cell without a number and an empty row. */
export const SAMPLE_LIST = `name,phone,email
Ann,+7 (900) 000-00-01,ann@example.com
Ben,79000000002,ben@example.com
Cara,+44 7700 900123,cara@example.com
,,
Dev,+1 202 555 0123,dev@example.com
Ann (work),79000000001,ann@example.com
Eve,+7 000 000-00-01,eve@example.com
Finn,no phone yet,finn@example.com
`;

/** Where the sample is, in a folder of its own, because the files folder itself is the user's. */
export function sampleIn(filesFolder: string): string {
	return join(filesFolder, 'sample', 'phones.csv');
}

const EXAMPLES = join(ROOT, 'examples');

/** The trigger that does the setup of an example. */
const SET_UP = 'Run Once';

/** Imports the examples into n8n, but leaves those alone that the user has changed. Returns their IDs by name. */
export async function importExamples(
	client: N8nClient,
	{ userFolder }: RunningN8n,
): Promise<ReadonlyMap<string, string>> {
	const known = await readImported(userFolder);
	const present = new Set((await client.workflows.list()).map(({ id }) => id));
	const examples: ImportedByName = { ...known };
	for (const [name, file] of await examplesFor(filesOf(userFolder))) {
		// Saved immediately: after an interrupted start, the next one must not import it again.
		const remember = async (imported: Imported) => {
			examples[name] = imported;
			await writeImported(userFolder, examples);
		};
		await bring(client, file, known[name], present, remember);
	}
	return new Map(Object.entries(examples).map(([name, { id }]) => [name, id]));
}

async function examplesFor(folder: string): Promise<Map<string, WorkflowFile>> {
	const sampleFolder = dirname(sampleIn(folder));
	await mkdir(sampleFolder, { recursive: true });
	await writeFile(sampleIn(folder), SAMPLE_LIST);
	const examples = new Map<string, WorkflowFile>();
	const files = await readWorkflowFiles(EXAMPLES);
	// After an interrupted start, what most users want is there.
	const names = new Set([LIST_FORM, ...files.keys()]);
	for (const name of names) {
		const file = files.get(name);
		if (!file) continue;
		// The sample is checked without a further step.
		const isSample = name === CHECKS_A_LIST;
		const example = isSample ? withCountryCode(file) : file;
		examples.set(name, inFolder(example, isSample ? sampleFolder : folder));
	}
	return examples;
}

async function bring(
	client: N8nClient,
	file: WorkflowFile,
	known: Imported | undefined,
	present: ReadonlySet<string>,
	remember: (imported: Imported) => Promise<void>,
): Promise<void> {
	const { workflows } = client;
	const example = fingerprintOf(file);
	const found = known && present.has(known.id) ? await workflows.get(known.id) : undefined;
	const step = nextStep(known, found && fingerprintOf(found), example);
	if (step === 'keep') return;
	const needsSetUp = file.nodes.some(({ name }) => name === SET_UP);
	// Only a saved execution tells how the setup ended.
	const first = needsSetUp ? withSavedExecutions(file) : file;
	const id =
		known && step === 'update'
			? await workflows.replace(known.id, first)
			: (await workflows.create(first)).id;
	// Without its fingerprint until it is complete, so that the next start continues with it.
	const rememberAs = async (fingerprint: string) =>
		await remember({ id, stored: fingerprintOf(await workflows.get(id)), example: fingerprint });
	await rememberAs('');
	const isReady = canWorkHere(file) && (!needsSetUp || (await isSetUp(client, id)));
	if (needsSetUp) {
		await workflows.replace(id, file);
		await rememberAs('');
	}
	if (isReady) await published(client, id, file);
	await rememberAs(example);
}

/** The user may have published something else on the same path, which is no reason to stop. */
async function published({ workflows }: N8nClient, id: string, { name }: WorkflowFile) {
	await workflows.publish(id).catch((error: unknown) => {
		const reason = error instanceof Error ? error.message : String(error);
		console.log(`  "${name}" could not be published: ${reason}`);
	});
}

/** For instance data tables, which n8n 1.x does not create itself. */
async function isSetUp({ workflows, executions }: N8nClient, id: string): Promise<boolean> {
	const { error } = await executions.wait(await workflows.run(id, SET_UP));
	return error === undefined;
}

/** Sends requests to the outside, but in the demo nothing leaves this machine. */
const REACHES_OUTSIDE = 'n8n-nodes-base.httpRequest';

/** Whether an example can be published here: it starts on its own, and everything it needs is available. */
function canWorkHere(file: WorkflowFile): boolean {
	return startsByItself(file) && file.nodes.every(isServedHere);
}

function isServedHere({ type, credentials = {} }: WorkflowFile['nodes'][number]): boolean {
	return (
		type !== REACHES_OUTSIDE &&
		Object.keys(credentials).every((type) => STAND_IN_TYPES.includes(type))
	);
}
