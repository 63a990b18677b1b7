import type { IDataObject, INode } from 'n8n-workflow';
import { z } from 'zod';
import { resources } from '../../nodes/CallVerification/operations';
import { CREDENTIAL_TYPE } from '../emulatedService';
import { chain, manualTrigger, set } from '../rest/workflowFile';
import type { Credential, Execution, N8nClient, WorkflowFile } from '..';

export const ACTION_NODE = 'n8n-nodes-call-verification.callVerification';
const TRIGGER_NODE = 'n8n-nodes-call-verification.callVerificationTrigger';
/** The name of our node in the tests' workflows. */
export const NODE = 'Call Verification';

export type OperationParameters = Omit<INode['parameters'], 'resource' | 'operation'> & {
	readonly resource: string;
	readonly operation: string;
};

interface RunOptions {
	/** The input items; by default, one empty item. */
	readonly items?: readonly IDataObject[];
	readonly onError?: INode['onError'];
}

export function actionNode(credential: Credential, parameters: OperationParameters) {
	return {
		...set(NODE, ''),
		type: ACTION_NODE,
		typeVersion: 1,
		parameters: { requestOptions: {}, ...parameters },
		credentials: { [CREDENTIAL_TYPE]: { id: credential.id, name: credential.name } },
	};
}

/** A node of the resource Inbound Call, with a name of its own. */
export function inboundNode(
	credential: Credential,
	name: string,
	operation: 'start' | 'wait',
	parameters: INode['parameters'] = {},
) {
	const node = actionNode(credential, { resource: 'inboundCall', operation, ...parameters });
	return { ...node, id: name, name };
}

/** The trigger node; `webhookId` is the first part of its path. */
export function triggerNode(credential: Credential, name: string, webhookId: string) {
	return {
		...actionNode(credential, { resource: '', operation: '' }),
		id: name,
		name,
		webhookId,
		type: TRIGGER_NODE,
		typeVersion: 2,
		parameters: { eventAuthentication: 'signature', options: {} },
	};
}

/** A trigger, a list of items, and our node with these parameters. Where it takes a file, the items are its rows. */
export function workflowWith(
	credential: Credential,
	parameters: OperationParameters,
	{ items, onError }: RunOptions = {},
): WorkflowFile {
	const isOfFile = exampleFiles(parameters) !== undefined;
	const split = {
		...set('Items', ''),
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		parameters: { fieldToSplitOut: 'items', options: {} },
	};
	const toFile = {
		...set('File', ''),
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: { operation: 'csv', binaryPropertyName: 'data', options: {} },
	};
	return chain(
		`${parameters.resource}.${parameters.operation}`,
		manualTrigger,
		set('List', JSON.stringify({ items: items ?? [isOfFile ? { phone: EXAMPLE_PHONE } : {}] })),
		split,
		...(isOfFile ? [toFile] : []),
		{ ...actionNode(credential, parameters), ...(onError && { onError }) },
	);
}

/** Runs our node in its own workflow and waits for the end. */
export async function runNode(
	client: N8nClient,
	credential: Credential,
	parameters: OperationParameters,
	options?: RunOptions,
): Promise<Execution> {
	const { id } = await client.workflows.create(workflowWith(credential, parameters, options));
	return await client.run(id);
}

/** The default target needs a published trigger. */
const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	'inboundCall.start': { callbackTarget: 'url', callbackUrl: 'https://example.com/inbound-call' },
};

/** For operations that read a file. */
const EXAMPLE_PHONE = '+7 900 000-00-01';
const EXAMPLE_LIST = `phone\n${EXAMPLE_PHONE}\n`;
const WITH_FILE: readonly string[] = ['phoneNumber.checkFile'];

/** The files of the one input item. */
export function exampleFiles({ resource, operation }: { resource?: unknown; operation?: unknown }) {
	const isWithFile = WITH_FILE.includes(`${String(resource)}.${String(operation)}`);
	return isWithFile ? [{ data: EXAMPLE_LIST }] : undefined;
}

type Entry = [field: string, value: string | number];

/**
 * What a test enters to run an operation: the example value of each required field.
 * @param name resource.operation
 * @param uid A call that was made.
 */
export function exampleParameters(name: string, uid: number): OperationParameters {
	const [resource = '', operation = ''] = name.split('.');
	const { fields = [] } =
		resources
			.find(({ value }) => value === resource)
			?.operations.find(({ value }) => value === operation) ?? {};
	const required = fields.filter((field) => field.required && field.displayOptions === undefined);
	const entered = required.map(({ name: field, displayName, placeholder = '' }): Entry => {
		if (field === 'uid') return [field, uid];
		const example = /^e\.g\. (.+)$/.exec(placeholder)?.[1];
		if (example !== undefined) return [field, example];
		throw new Error(
			`${name}: give the field “${displayName}” a placeholder “e.g. …” with a value that tests can enter`,
		);
	});
	return { resource, operation, ...Object.fromEntries(entered), ...MORE[name] };
}

const options = z.array(z.object({ value: z.string() }));
const operationField = z.object({
	name: z.literal('operation'),
	displayOptions: z.object({ show: z.object({ resource: z.array(z.string()) }) }),
	options,
});

/** n8n's own entry, which only recommends the HTTP Request node. */
const ADDED_BY_N8N = '__CUSTOM_API_CALL__';

/** Every operation that n8n has loaded from the package, as "resource.operation". */
export async function loadedOperations(client: N8nClient): Promise<string[]> {
	const types = await client.nodeTypes.ofPackage('n8n-nodes-call-verification');
	const node = types.find(({ name }) => name === ACTION_NODE);
	const properties = z.array(z.unknown()).parse(node?.properties);
	return properties.flatMap((property) => {
		const field = operationField.safeParse(property);
		if (!field.success) return [];
		const { displayOptions, options: operations } = field.data;
		return displayOptions.show.resource.flatMap((resource) =>
			operations
				.filter(({ value }) => value !== ADDED_BY_N8N)
				.map(({ value }) => `${resource}.${value}`),
		);
	});
}
