import type { IDataObject } from 'n8n-workflow';

import type { ServiceAccess } from '../bench/service';
import { actionNode, NODE } from '../e2e/nodeRunner';
import { CREDENTIAL_TYPE, credentialData } from '../e2e/service';
import type { N8nClient, WorkflowFile } from '../real-n8n';
import { set } from '../real-n8n/sampleWorkflow';

type WorkflowNode = WorkflowFile['nodes'][number];

/** A way to check the numbers of a list. */
export interface ListContender {
	readonly name: string;
	/** The node that does it, named NODE. An item that fails does not end the list. */
	readonly node: (client: N8nClient, service: ServiceAccess) => Promise<WorkflowNode>;
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

export const AT_ONCE = httpRequest('HTTP Request', {});

/** As the node proposes it when batching is added: 50 items, then a second's pause. */
export const BATCHED = httpRequest('HTTP Request, batches of 50 per second', {
	batching: { batch: { batchSize: 50, batchInterval: 1000 } },
});

function httpRequest(name: string, options: IDataObject): ListContender {
	return {
		name,
		node: async (client, { url, secretKey, serviceId }) => {
			const { id, name: credentialName } = await client.credentials.create(
				'Service',
				'httpHeaderAuth',
				{ name: 'Authorization', value: `Bearer ${secretKey}.${serviceId}` },
			);
			return {
				...set(NODE, ''),
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					method: 'POST',
					url: `${url}/v1.0/checkPhone`,
					authentication: 'genericCredentialType',
					genericAuthType: 'httpHeaderAuth',
					sendBody: true,
					bodyParameters: { parameters: [{ name: 'phone', value: '={{ $json.phone }}' }] },
					options,
				} as WorkflowNode['parameters'],
				credentials: { httpHeaderAuth: { id, name: credentialName } },
				onError: 'continueRegularOutput',
			};
		},
		isResult: ({ error, phone }) => error === undefined && Number(phone) > 0,
	};
}
