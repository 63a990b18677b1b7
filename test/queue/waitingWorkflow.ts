import { inboundNode } from '../../harness/workflows/nodeRunner';
import { productionUrl } from '../../harness';
import { chain, webhook } from '../../harness/sampleWorkflow';
import type { EndOfWorkflow } from '../../harness/workflows/endOfWorkflow';
import type { Stage } from './stage';

const PATH = 'wait-for-call';

/** The workflow's input for one person. */
export interface Person {
	readonly phone: string;
	readonly reference: string;
	/** In minutes. */
	readonly limit: number;
}

/** What an execution reports at the end: which call it waited for, and what it continued with. */
export function reportOf(vendorId: number, received: boolean, reference: string): string {
	return [vendorId, received, received ? vendorId : '-', received ? reference : '-'].join(' ');
}

const REPORT =
	'={{ [$json.vendor_id, $json.received, $json.callId ?? "-", $json.reference ?? "-"].join(" ") }}';

/** Requests a call and waits for it. Returns the workflow's ID and its URL on each webhook process. */
export async function publishWaitingWorkflow(
	{ client, queueMode, service }: Stage,
	end: EndOfWorkflow,
): Promise<{ workflowId: string; addresses: readonly string[] }> {
	const begin = webhook(PATH);
	const { id } = await client.workflows.create(
		chain(
			'Wait for calls',
			{ ...begin, parameters: { ...begin.parameters, responseMode: 'onReceived' } },
			inboundNode(service.credential, 'Ask', 'start', {
				phone: '={{ $json.body.phone }}',
				callbackTarget: 'execution',
				options: { reference: '={{ $json.body.reference }}' },
			}),
			inboundNode(service.credential, 'Wait', 'wait', {
				uid: '={{ $json.vendor_id }}',
				limitWaitTime: '={{ $("Web-hook").item.json.body.limit }}',
			}),
			end.node(REPORT),
		),
	);
	await client.workflows.publish(id);
	return {
		workflowId: id,
		addresses: queueMode.webhooks.map(({ url }) => productionUrl(url, PATH)),
	};
}
