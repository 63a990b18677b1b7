import type { IDataObject } from 'n8n-workflow';

import type { EmulatorAccess } from '../emulatorProcess';
import { actionNode, NODE } from '../../harness/workflows/nodeRunner';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';
import type { N8nClient, WorkflowFile } from '../../harness';
import { set } from '../../harness/sampleWorkflow';

type WorkflowNode = WorkflowFile['nodes'][number];

/** A way to check the numbers of a list. */
export interface ListContender {
	readonly name: string;
	/** The node to use, named NODE. A failed item does not end the list. */
	readonly node: (client: N8nClient, service: EmulatorAccess) => Promise<WorkflowNode>;
	readonly isResult: (item: IDataObject) => boolean;
}

export const OURS: ListContender = {
	name: 'Call Verification',
	node: async (client, service) => {
		const credential = await client.credentials.create(
			'Service',
			CREDENTIAL_TYPE,
			credentialData(service),
		);
		const parameters = {
			resource: 'phoneNumber',
			operation: 'check',
			phone: '={{ $json.phone }}',
		};
		return { ...actionNode(credential, parameters), onError: 'continueRegularOutput' };
	},
	isResult: ({ valid }) => valid === true,
};

export const AT_ONCE = httpRequest('HTTP Request', {}, withHeaderCredential);

export const AT_ONCE_WITHOUT_CREDENTIAL = httpRequest(
	'HTTP Request, key in the node',
	{},
	withHeaderInNode,
);

/** The node's defaults when batching is added: 50 items, then a pause of a second. */
export const BATCHED = httpRequest(
	'HTTP Request, batches of 50 per second',
	{ batching: { batch: { batchSize: 50, batchInterval: 1000 } } },
	withHeaderCredential,
);

type Authentication = (
	client: N8nClient,
	header: { name: string; value: string },
) => Promise<Pick<WorkflowNode, 'credentials'> & { parameters: IDataObject }>;

async function withHeaderCredential(...[client, header]: Parameters<Authentication>) {
	const { id, name } = await client.credentials.create('Service', 'httpHeaderAuth', header);
	return {
		parameters: { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' },
		credentials: { httpHeaderAuth: { id, name } },
	};
}

/** Nobody should store a key in a workflow, but this shows what n8n's request alone costs. */
async function withHeaderInNode(...[, header]: Parameters<Authentication>) {
	return { parameters: { sendHeaders: true, headerParameters: { parameters: [header] } } };
}

function httpRequest(
	name: string,
	options: IDataObject,
	authenticate: Authentication,
): ListContender {
	return {
		name,
		node: async (client, { url, secretKey, serviceId }) => {
			const { parameters, ...rest } = await authenticate(client, {
				name: 'Authorization',
				value: `Bearer ${secretKey}.${serviceId}`,
			});
			return {
				...set(NODE, ''),
				...rest,
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					method: 'POST',
					url: `${url}/v1.0/checkPhone`,
					...parameters,
					sendBody: true,
					bodyParameters: { parameters: [{ name: 'phone', value: '={{ $json.phone }}' }] },
					options,
				} as WorkflowNode['parameters'],
				onError: 'continueRegularOutput',
			};
		},
		isResult: ({ error, phone }) => error === undefined && Number(phone) > 0,
	};
}
