import type { IDataObject, INode } from 'n8n-workflow';
import type { Credential, Execution, N8nClient } from '..';
import { chain, manualTrigger, set } from '../sampleWorkflow';
import type { WorkflowFile } from '../rest/workflows';
import { CREDENTIAL_TYPE } from './emulatedService';
import { EXAMPLE_PHONE, exampleFiles } from './exampleParameters';

export const ACTION_NODE = 'n8n-nodes-call-verification.callVerification';
export const TRIGGER_NODE = 'n8n-nodes-call-verification.callVerificationTrigger';
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
	return await client.executions.wait(await client.workflows.run(id));
}
