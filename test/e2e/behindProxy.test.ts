import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';

import {
	callWebhook,
	connect,
	formUrl,
	FormVisitor,
	itemsOf,
	type N8nClient,
	n8nProgram,
	productionUrl,
	type RunningN8n,
	startN8n,
	type WorkflowFile,
} from '../../harness';
import { chain, set, sideBySide, webhook } from '../../harness/sampleWorkflow';
import { instances } from './instances';
import { ownUserFolder } from './ownUserFolder';
import { inboundNode, triggerNode } from '../../harness/workflows/nodeRunner';
import {
	type EmulatedService,
	startEmulatedService,
} from '../../harness/workflows/emulatedService';
import { startTlsProxy, type TlsProxy } from './tlsProxy';

const SUB_PATH = '/n8n';
const PHONE = '79161234567';

describe.each(instances)('behind a sub-path and TLS, in n8n $version', (instance) => {
	let userFolder: string;
	let proxy: TlsProxy;
	let n8n: RunningN8n;
	let client: N8nClient;
	let service: EmulatedService;

	beforeAll(async () => {
		proxy = await startTlsProxy(SUB_PATH);
		userFolder = await ownUserFolder(instance);
		n8n = await startN8n(await n8nProgram(instance.line), {
			userFolder,
			settings: {
				N8N_PATH: `${SUB_PATH}/`,
				N8N_EDITOR_BASE_URL: `${proxy.url}/`,
				WEBHOOK_URL: `${proxy.url}/`,
				N8N_PROXY_HOPS: '1',
			},
		});
		proxy.leadTo(n8n.url);
		client = await connect(n8n);
		service = await startEmulatedService(client, { webhookCertificate: proxy.certificate });
	});

	afterAll(async () => {
		await service?.emulator.close();
		await n8n?.stop();
		await proxy?.close();
		await rm(userFolder, { recursive: true, force: true });
	});

	const entrance = (path: string) => {
		const { parameters, ...node } = webhook(path);
		return { ...node, parameters: { ...parameters, responseMode: 'onReceived' } };
	};
	const ask = (callbackTarget: string) =>
		inboundNode(service.credential, 'Ask', 'start', {
			phone: PHONE,
			callbackTarget,
			callbackUrl: '',
			options: { reference: 'contact-42' },
		});
	const wait = () =>
		inboundNode(service.credential, 'Wait', 'wait', {
			uid: '={{ $json.vendor_id }}',
			limitWaitTime: 60,
		});
	const called = set('Called', '={{ JSON.stringify($json) }}');

	const publish = async (file: WorkflowFile) => {
		const { id } = await client.workflows.create(file);
		await client.workflows.publish(id);
		return id;
	};
	/** Starts it as an outside visitor would. */
	const begin = async (path: string) =>
		await callWebhook(productionUrl(proxy.url, path), { body: {} });
	const lastCallback = () => String(service.emulator.ledger.requests.at(-1)?.args.callback_url);
	/** The service reports the call to the URL it was given, through the proxy. */
	const call = async () => await service.emulator.callFrom(PHONE);
	const accepted = { status: 200, bodyExcerpt: '{"accepted":true}', error: undefined };

	test('a call starts the trigger, which Start finds automatically', async () => {
		const hook = randomUUID();
		const path = randomUUID();
		const id = await publish(
			sideBySide(
				chain('Trigger behind a proxy', entrance(path), ask('trigger')),
				chain('', triggerNode(service.credential, 'Trigger', hook), called),
			),
		);
		const { execution: asked } = await client.executions.startedBy(
			id,
			async () => await begin(path),
			{ ran: 'Ask' },
		);
		const url = productionUrl(proxy.url, `${hook}/inbound-call`);
		expect(itemsOf(asked, 'Ask')).toEqual([expect.objectContaining({ callback_url: url })]);

		const { result, execution } = await client.executions.startedBy(id, call, { ran: 'Called' });

		expect(result).toMatchObject(accepted);
		expect(proxy.seen.at(-1)).toMatch(`POST ${SUB_PATH}/webhook/${hook}/inbound-call?exp=`);
		expect(itemsOf(execution, 'Called')).toEqual([
			expect.objectContaining({
				clientNumber: PHONE,
				reference: 'contact-42',
				callbackLink: url,
			}),
		]);
	});

	test('a call resumes the execution that waits for it', async () => {
		const path = randomUUID();
		const id = await publish(
			chain('Wait behind a proxy', entrance(path), ask('execution'), wait(), called),
		);
		const { execution } = await client.executions.startedBy(id, async () => await begin(path), {
			until: ['waiting', 'error'],
			ran: 'Ask',
		});
		const url = `${proxy.url}/webhook-waiting/${execution.id}/inbound-call`;
		expect(itemsOf(execution, 'Ask')).toEqual([expect.objectContaining({ callback_url: url })]);
		const unsealed = lastCallback().replace(/&?(?:exp|ref|iss|nonce|sig)=[^&]*/g, '');
		const callId = String(service.emulator.ledger.inboundWaits.at(-1)?.vendorId);
		const event = { callId, clientNumber: PHONE };
		expect((await callWebhook(unsealed, { body: event })).status).toBe(401);

		expect(await call()).toMatchObject(accepted);

		const done = await client.executions.wait(execution.id, { ran: 'Called' });
		expect(itemsOf(done, 'Called')).toEqual([
			expect.objectContaining({ received: true, callbackLink: url, reference: 'contact-42' }),
		]);
	});

	test('the visitor of a form sees the page after the call', async () => {
		const webhookId = randomUUID();
		const form = {
			...set('Form', ''),
			type: 'n8n-nodes-base.formTrigger',
			typeVersion: 2.2,
			webhookId,
			parameters: {
				formTitle: 'Verify',
				formFields: { values: [{ fieldLabel: 'Name' }] },
				options: {},
			},
		};
		const page = {
			...set('Page', ''),
			type: 'n8n-nodes-base.form',
			typeVersion: 1,
			webhookId: randomUUID(),
			parameters: {
				operation: 'completion',
				completionTitle: '=Thank you, {{ $json.clientNumber }}',
				options: {},
			},
		};
		const id = await publish(chain('Form behind a proxy', form, ask('execution'), wait(), page));
		const { result: visitor } = await client.executions.startedBy(
			id,
			async () => await FormVisitor.start(formUrl(proxy.url, { nodes: [form] }), 'Ann'),
			{ until: ['waiting', 'error'], ran: 'Ask' },
		);

		expect(await call()).toMatchObject(accepted);

		expect(await visitor.nextPage()).toMatchObject({ title: `Thank you, ${PHONE}` });
	});
});
