import { randomUUID } from 'node:crypto';
import { inboundNode, triggerNode } from '../../harness/workflows/nodeRunner';
import type { EmulatedService } from '../../harness/emulatedService';
import { ALWAYS_SUCCEEDS } from '../../emulator/service/numbers';
import {
	callWebhook,
	itemsOf,
	type N8nClient,
	productionUrl,
	type RunningN8n,
} from '../../harness';
import { chain, set, sideBySide, webhook } from '../../harness/rest/workflowFile';

const END = 'End';

/**
 * Requests a call whose event starts a trigger or resumes the requesting execution, makes that call, and waits for its
 * output. Returns the URL to which the service sent the event.
 */
export async function inboundCall(
	n8n: Pick<RunningN8n, 'url'>,
	client: N8nClient,
	{ emulator, credential }: EmulatedService,
	target: 'trigger' | 'execution',
): Promise<URL> {
	const path = `ask-for-${target}-${randomUUID()}`;
	const begin = { ...webhook(path), parameters: { path, httpMethod: 'POST' } };
	const start = inboundNode(credential, 'Ask', 'start', {
		phone: ALWAYS_SUCCEEDS,
		callbackTarget: target,
		callbackUrl: '',
		options: { reference: 'contact-42' },
	});
	const wait = inboundNode(credential, 'Wait', 'wait', { uid: '={{ $json.vendor_id }}' });
	const end = set(END, '={{ $json }}');
	const { id } = await client.workflows.create(
		target === 'execution'
			? chain('Wait', begin, start, wait, end)
			: sideBySide(
					chain('Trigger', begin, start),
					chain('', triggerNode(credential, 'Trigger', `hook-${path}`), end),
				),
	);
	await client.workflows.publish(id);

	const { execution: asked } = await client.executions.startedBy(
		id,
		async () => await callWebhook(productionUrl(n8n.url, path)),
		{ ran: 'Ask', until: ['waiting', 'success', 'error'] },
	);
	if (asked.error) throw new Error(asked.error.message);
	const call = async () => await emulator.callFrom(ALWAYS_SUCCEEDS);
	const ended =
		target === 'execution'
			? await call().then(async () => await client.executions.wait(asked.id, { ran: END }))
			: (await client.executions.startedBy(id, call, { ran: END })).execution;
	if (ended.error) throw new Error(ended.error.message);
	const [event] = itemsOf(ended, END);
	if (event?.reference !== 'contact-42')
		throw new Error('the event came out without its reference');
	return new URL(String(emulator.ledger.inboundWaits.at(-1)?.callbackUrl));
}
