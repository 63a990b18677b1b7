import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import type { Emulator } from '../../emulator/emulator';
import {
	filesOf,
	type N8nClient,
	readWorkflowFiles,
	type RunningN8n,
	startsByItself,
	type Workflow,
	type WorkflowFile,
	type WorkflowNode,
} from '../../harness';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import { inFolder, withCountryCode, withSavedExecutions } from '../../harness/workflows/examples';
import { createSiteCredential } from '../../harness/workflows/siteRequests';
import { ROOT } from '../project';

const ACCOUNT = 'Call Verification account';

/** Signs the tokens that the examples' webhooks require. They can only be reached from this machine. */
export const SITE_SECRET = 'call-verification';
const JWT_AUTH = 'jwtAuth';

/** The credential types that are available to the examples. */
const STAND_IN_TYPES: readonly string[] = [CREDENTIAL_TYPE, JWT_AUTH];

/** Provides the credentials that the examples need, under n8n's default names, by which they find them. */
export async function standInCredentials(client: N8nClient, emulator: Emulator): Promise<void> {
	const { credentials } = client;
	const known = await credentials.list();
	await forTheService(credentials, known, emulator);
	if (!known.some(({ type }) => type === JWT_AUTH)) {
		await createSiteCredential(client, 'JWT Auth account', SITE_SECRET);
	}
}

/** A credential that the user has pointed at another service belongs to the user. */
async function forTheService(
	credentials: N8nClient['credentials'],
	known: Awaited<ReturnType<N8nClient['credentials']['list']>>,
	emulator: Emulator,
): Promise<void> {
	const data = {
		baseUrl: emulator.url,
		secretKey: emulator.secretKey,
		serviceId: emulator.serviceId,
		authScheme: 'header',
		addressMode: 'primary',
	};
	const found = known.find(({ name, type }) => name === ACCOUNT && type === CREDENTIAL_TYPE);
	if (found === undefined) {
		await credentials.create(ACCOUNT, CREDENTIAL_TYPE, data);
		return;
	}
	const { baseUrl } = await credentials.data(found);
	if (baseUrl !== emulator.url && isStandIn(String(baseUrl))) await credentials.update(found, data);
}

/** On any port, because an earlier start may have found its usual port in use. */
function isStandIn(baseUrl: string): boolean {
	return /^http:\/\/127\.0\.0\.1:\d+$/.test(baseUrl);
}

const imported = z.object({
	id: z.string(),
	/** Fingerprint of the workflow as n8n stored it: shows whether the user has changed it. */
	stored: z.string(),
	/** Fingerprint of the example: shows whether the package has a new version of it. */
	example: z.string(),
});
const importedByName = z.record(imported);

type Imported = z.infer<typeof imported>;
type ImportedByName = z.infer<typeof importedByName>;

type NextStep = 'create' | 'update' | 'keep';

/**
 * What to do with an example at a start: `known` was imported at an earlier start, `stored` is what n8n has now. A
 * workflow that the user has changed belongs to the user.
 */
function nextStep(
	known: Imported | undefined,
	stored: string | undefined,
	example: string,
): NextStep {
	if (known === undefined || stored === undefined) return 'create';
	return known.stored === stored && known.example !== example ? 'update' : 'keep';
}

/** Covers everything that a user can change. n8n's own version ID ignores the name and the settings. */
function fingerprintOf({ name, nodes, connections, settings }: Workflow | WorkflowFile): string {
	const content = JSON.stringify([name, nodes, connections, settings]);
	return createHash('sha256').update(content).digest('hex');
}

async function readImported(userFolder: string): Promise<ImportedByName> {
	try {
		return importedByName.parse(JSON.parse(await readFile(fileIn(userFolder), 'utf8')));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
		throw error;
	}
}

async function writeImported(userFolder: string, examples: ImportedByName): Promise<void> {
	// Atomic, because an incomplete file would make every later start fail.
	const partial = `${fileIn(userFolder)}.partial`;
	await writeFile(partial, JSON.stringify(examples, null, '\t'));
	await rename(partial, fileIn(userFolder));
}

function fileIn(userFolder: string): string {
	return join(userFolder, 'examples.json');
}

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
async function isSetUp(client: N8nClient, id: string): Promise<boolean> {
	return (await client.run(id, SET_UP)).error === undefined;
}

/** Sends requests to the outside, but in the demo nothing leaves this machine. */
const REACHES_OUTSIDE = 'n8n-nodes-base.httpRequest';

/** Whether an example can be published here: it starts on its own, and everything it needs is available. */
function canWorkHere(file: WorkflowFile): boolean {
	return startsByItself(file) && file.nodes.every(isServedHere);
}

function isServedHere({ type, credentials = {} }: WorkflowNode): boolean {
	return (
		type !== REACHES_OUTSIDE &&
		Object.keys(credentials).every((type) => STAND_IN_TYPES.includes(type))
	);
}
