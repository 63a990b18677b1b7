import { join } from 'node:path';

import type { EmulatorAccess } from '../emulatorProcess';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';
import { actionNode, NODE, type OperationParameters } from '../../harness/workflows/nodeRunner';
import type { N8nClient, WorkflowFile } from '../../harness';
import { chain, set, webhook } from '../../harness/sampleWorkflow';
import { AT_ONCE } from './listContenders';

type WorkflowNode = WorkflowFile['nodes'][number];

export const INPUT = 'phones.csv';
export const OUTPUT = 'phones-checked.csv';

/** A way from a file on disk to a file with the results. */
export interface FileContender {
	readonly name: string;
	readonly nodes: (client: N8nClient, service: EmulatorAccess) => Promise<WorkflowNode[]>;
}

export const AS_FILE: FileContender = {
	name: 'Check File',
	nodes: async (client, service) => [
		await ours(client, service, { resource: 'phoneNumber', operation: 'checkFile' }),
	],
};

export const AS_ITEMS: FileContender = {
	name: 'Check, a row per item',
	nodes: async (client, service) =>
		perItem({
			...(await ours(client, service, {
				resource: 'phoneNumber',
				operation: 'check',
				phone: '={{ $json.phone }}',
				options: { includeInputFields: true },
			})),
			onError: 'continueRegularOutput',
		}),
};

/** Only what the service responds comes out: the other columns of the file are lost. */
export const WITH_HTTP_REQUEST: FileContender = {
	name: 'HTTP Request, a row per item',
	nodes: async (client, service) => perItem(await AT_ONCE.node(client, service)),
};

export function fileWorkflow(
	path: string,
	folder: string,
	nodes: readonly WorkflowNode[],
): WorkflowFile {
	const begin = webhook(path);
	return chain(
		`File (${path})`,
		{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
		n8nNode('Read', 'readWriteFile', 1, { operation: 'read', fileSelector: join(folder, INPUT) }),
		...nodes,
		n8nNode('Write', 'readWriteFile', 1, { operation: 'write', fileName: join(folder, OUTPUT) }),
	);
}

async function ours(
	client: N8nClient,
	service: EmulatorAccess,
	parameters: OperationParameters,
): Promise<WorkflowNode> {
	const credential = await client.credentials.create(
		'Service',
		CREDENTIAL_TYPE,
		credentialData(service),
	);
	return actionNode(credential, parameters);
}

function perItem(node: WorkflowNode): WorkflowNode[] {
	return [
		n8nNode('Rows', 'extractFromFile', 1, { operation: 'csv' }),
		{ ...node, name: NODE },
		n8nNode('File', 'convertToFile', 1.1, { operation: 'csv' }),
	];
}

function n8nNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: WorkflowNode['parameters'],
): WorkflowNode {
	return { ...set(name, ''), type: `n8n-nodes-base.${type}`, typeVersion, parameters };
}
