import { triggerNode } from '../../harness/workflows/nodeRunner';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/workflows/emulatedService';
import { type N8nClient, productionUrl, type WorkflowFile } from '../../harness';
import { chain, set, webhook } from '../../harness/sampleWorkflow';
import { eventBody, sealQuery } from '../../harness/workflows/inboundEvents';
import type { Post } from '../../harness/workflows/sendEvents';
import type { EventContenderName } from './results';

/** A published workflow that receives events and does nothing with them. */
export interface EventContender {
	readonly name: EventContenderName;
	readonly workflowId: string;
	/** A new event, for one of n8n's processes. */
	readonly nextEvent: () => Post;
}

type WorkflowNode = WorkflowFile['nodes'][number];

const SECRET_KEY = 'a secret key for the events';
const HEADER = { name: 'X-Secret', value: 'a secret for the header' };
const FIRST_CALL = 8_000_000;
const FIRST_PHONE = 79_300_000_000;

/** Publishes all of them in one n8n, which receives events at these URLs in turn. */
export async function publishEventContenders(
	client: N8nClient,
	n8nUrls: readonly string[],
): Promise<EventContender[]> {
	const service = { url: 'https://127.0.0.1:9', secretKey: SECRET_KEY, serviceId: '1' };
	const ours = await client.credentials.create('Service', CREDENTIAL_TYPE, credentialData(service));
	const header = await client.credentials.create('Header', 'httpHeaderAuth', HEADER);
	const theirs = (path: string): WorkflowNode => {
		const begin = webhook(path);
		return { ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } };
	};
	const nothing: WorkflowNode = {
		...set('Nothing', ''),
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
	};
	// A real workflow has a credential, and n8n checks for each execution whether it may be used. It does so even for
	// a node that is not connected.
	const neverRun: WorkflowNode = {
		...set('Never run', ''),
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' },
		credentials: { httpHeaderAuth: { id: header.id, name: header.name } },
	};
	const contender = async (
		name: EventContenderName,
		path: string,
		begin: WorkflowNode,
		extras: (phone: number) => { query?: string; headers?: Post['headers'] } = () => ({}),
	): Promise<EventContender> => {
		const { nodes, ...workflow } = chain(name, begin, nothing);
		const { id } = await client.workflows.create({ ...workflow, nodes: [...nodes, neverRun] });
		await client.workflows.publish(id);
		let sent = 0;
		return {
			name,
			workflowId: id,
			nextEvent: () => {
				const url = productionUrl(n8nUrls[sent % n8nUrls.length] ?? '', path);
				const phone = FIRST_PHONE + sent;
				const body = JSON.stringify(eventBody(FIRST_CALL + sent, phone));
				sent += 1;
				const { query = '', headers } = extras(phone);
				return { url: `${url}${query}`, body, headers };
			},
		};
	};
	const unsealed = triggerNode(ours, 'Trigger', 'unsealed');
	return [
		await contender(
			'sealed',
			'sealed/inbound-call',
			triggerNode(ours, 'Trigger', 'sealed'),
			(phone) => ({ query: sealQuery({ secretKey: SECRET_KEY, target: 'sealed' }, phone) }),
		),
		await contender(
			'webhookWithHeader',
			'with-header',
			{
				...theirs('with-header'),
				parameters: { ...theirs('with-header').parameters, authentication: 'headerAuth' },
				credentials: { httpHeaderAuth: { id: header.id, name: header.name } },
			},
			() => ({ headers: { [HEADER.name]: HEADER.value } }),
		),
		await contender('unsealed', 'unsealed/inbound-call', {
			...unsealed,
			parameters: { ...unsealed.parameters, eventAuthentication: 'none' },
		}),
		await contender('webhook', 'open', theirs('open')),
	];
}
