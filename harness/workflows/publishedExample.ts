import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';
import { CREDENTIAL_TYPE } from './emulatedService';
import { withCredentials } from './withCredentials';
import {
	type Credential,
	type N8nClient,
	readWorkflowFiles,
	withParameters,
	type WorkflowFile,
} from '..';

type FlowNode = WorkflowFile['nodes'][number];

const FOLDER = join(__dirname, '../../examples');

export async function readExample(name: string): Promise<WorkflowFile> {
	const file = (await readWorkflowFiles(FOLDER)).get(name);
	if (!file) throw new Error(`There is no ${name}.json in ${FOLDER}`);
	return file;
}

interface Published {
	readonly id: string;
	readonly file: WorkflowFile;
}

/** Publishes the example as its notes say, with these credentials by type, at addresses that begin with the prefix. */
export async function publishExample(
	name: string,
	prefix: string,
	{ client, credential }: { readonly client: N8nClient; readonly credential: Credential },
	credentials: Readonly<Record<string, Credential>> = {},
	change = (file: WorkflowFile): WorkflowFile => file,
): Promise<Published> {
	const chosen = { [CREDENTIAL_TYPE]: credential, ...credentials };
	const file = withOwnAddresses(
		withChosenCredentials(change(await readExample(name)), chosen),
		prefix,
	);
	const { id } = await client.workflows.create(file);
	await client.workflows.publish(id);
	return { id, file };
}

/** The text in a field of one of the example's nodes. */
export function parameterOf({ nodes }: WorkflowFile, nodeName: string, name: string): string {
	const value = nodes.find((node) => node.name === nodeName)?.parameters?.[name];
	if (typeof value !== 'string') throw new Error(`“${nodeName}” has no text in ${name}`);
	return value;
}

/** The example after a user has chosen these credentials, by type, in all of its nodes. */
export function withChosenCredentials(
	file: WorkflowFile,
	chosen: Parameters<typeof withCredentials>[1],
): WorkflowFile {
	return { ...file, nodes: file.nodes.map((node) => withCredentials(node, chosen)) };
}

const settings = z.object({
	assignments: z.array(z.object({ name: z.string(), value: z.unknown() }).passthrough()),
});

/** The example after a user has entered these values in its node Settings, or in another node with settings. */
export function withSettings(
	file: WorkflowFile,
	values: Readonly<Record<string, unknown>>,
	nodeName = 'Settings',
): WorkflowFile {
	const node = file.nodes.find(({ name }) => name === nodeName);
	const { assignments } = settings.parse(node?.parameters?.assignments);
	const entered = assignments.map((field) => ({
		...field,
		value: values[field.name] ?? field.value,
	}));
	return withParameters(file, nodeName, {
		assignments: { assignments: entered },
	} as INodeParameters);
}

/** The example after a user from Russia has entered the country code, if it has a setting for that. */
export function withCountryCode(file: WorkflowFile): WorkflowFile {
	const code = { defaultCountryCode: '7', default_country_code: '7' };
	const asking = file.nodes.find(({ parameters }) => {
		const { data } = settings.safeParse(parameters?.assignments);
		return data?.assignments.some(({ name }) => name in code);
	});
	return asking ? withSettings(file, code, asking.name) : file;
}

/**
 * The example as the editor imports it, pasted or from a file: with n8n's settings of a new workflow instead of its own,
 * as `test/e2e/importing.test.ts` sees in a browser.
 */
export function asPasted(file: WorkflowFile): WorkflowFile {
	return { ...file, settings: { executionOrder: 'v1' } };
}

/** After the step in the notes of the examples that switches off “Save successful production executions”. */
export function withoutSavedSuccesses(file: WorkflowFile): WorkflowFile {
	return { ...file, settings: { ...file.settings, saveDataSuccessExecution: 'none' } };
}

/** The example with all of its executions saved, which some examples prevent, so that their results can be read. */
export function withSavedExecutions(file: WorkflowFile): WorkflowFile {
	const saved = { saveDataSuccessExecution: 'all', saveManualExecutions: true } as const;
	return { ...file, settings: { ...file.settings, ...saved } };
}

/** The example with its own webhook paths, because two workflows cannot share one. */
export function withOwnAddresses(file: WorkflowFile, prefix: string): WorkflowFile {
	const nodes = file.nodes.map((node): FlowNode => {
		if (node.webhookId === undefined) return node;
		const { parameters = {} } = node;
		const options = Object(parameters.options) as INodeParameters;
		return {
			...node,
			webhookId: `${prefix}-${node.webhookId}`,
			parameters: {
				...withOwnPath(parameters, prefix),
				...(parameters.options && { options: withOwnPath(options, prefix) }),
			},
		};
	});
	return { ...file, nodes };
}

/** A webhook has its path in its parameters, a form in its options. */
function withOwnPath(values: INodeParameters, prefix: string): INodeParameters {
	return typeof values.path === 'string' ? { ...values, path: `${prefix}/${values.path}` } : values;
}
