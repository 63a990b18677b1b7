import { randomBytes } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import {
	callWebhook,
	formUrl,
	FormVisitor,
	itemsOf,
	productionUrl,
	testUrl,
	waitUntil,
	type WorkflowFile,
} from '../../harness';
import { chain, manualTrigger, nodeOf, sideBySide, webhook } from '../../harness/rest/workflowFile';
import { Gate } from '../../harness/standIns/gate';
import { inboundNode, triggerNode } from '../../harness/workflows/nodeRunner';
import { startOtherServer } from '../../harness/workflows/otherServers';
import { describeInOwnN8n } from './inN8n';
import { startTlsProxy, type TlsProxy } from './tlsProxy';
import { waitsAfter } from './waitsAfter';

const PHONE = '79161234567';
const SUB_PATH = '/n8n';

let proxy: TlsProxy;

/** n8n behind a sub-path and TLS, as many run it. */
async function behindProxy() {
	proxy = await startTlsProxy(SUB_PATH);
	return {
		settings: {
			N8N_PATH: `${SUB_PATH}/`,
			N8N_EDITOR_BASE_URL: `${proxy.url}/`,
			N8N_WEBHOOK_URL: `${proxy.url}/`,
			N8N_PROXY_HOPS: '1',
		},
		service: { webhookCertificate: proxy.certificate },
		close: async () => await proxy.close(),
	};
}

describeInOwnN8n('inbound calls behind a sub-path and TLS,', behindProxy, (n8n) => {
	const { line } = n8n;

	beforeAll(() => proxy.leadTo(n8n.url));

	const node = (name: string, type: string, parameters: INodeParameters = {}, version = 1) =>
		nodeOf(name, `n8n-nodes-base.${type}`, version, parameters);
	const begin = (path: string, name = 'Begin') => {
		return { ...webhook(path, 'onReceived'), id: name, name };
	};
	const trigger = (webhookId: string) => triggerNode(n8n.credential, 'Trigger', webhookId);
	const end = (name = 'End') => node(name, 'noOp');

	/** Chains side by side in one workflow. */
	const flow = (name: string, ...chains: Array<Parameters<typeof chain>[1][]>) =>
		chains.map((nodes) => chain(name, ...nodes)).reduce(sideBySide);

	const startFor = (callbackTarget: string, name = 'Ask') =>
		inboundNode(n8n.credential, name, 'start', {
			phone: `={{ $json.body?.phone ?? "${PHONE}" }}`,
			callbackTarget,
			callbackUrl: '',
			options: { reference: 'contact-42' },
		});
	const waitFor = (name = 'Wait', limitWaitTime = 60) =>
		inboundNode(n8n.credential, name, 'wait', { uid: '={{ $json.vendor_id }}', limitWaitTime });

	const sealedUrl = (url: string) =>
		sealCallback(
			url,
			{
				phone: PHONE,
				expiresAt: Math.floor(Date.now() / 1_000) + 600,
				reference: 'x',
				issuer: '',
				nonce: sealNonce(randomBytes),
			},
			n8n.emulator.secretKey,
		);

	const eventFor = (callId: unknown) => ({
		callId: String(callId),
		clientNumber: PHONE,
		confirmationNumber: n8n.emulator.ledger.inboundWaits.at(-1)?.confirmationNumber ?? '',
		isMnp: false,
	});

	const publish = async (file: WorkflowFile) => {
		const { id } = await n8n.client.workflows.create(file);
		await n8n.client.workflows.publish(id);
		return id;
	};

	/** Starts a published workflow as an outside visitor would. */
	const call = async (workflowId: string, path: string, ran: string, phone = PHONE) => {
		const { execution } = await n8n.client.executions.startedBy(
			workflowId,
			async () => await callWebhook(productionUrl(proxy.url, path), { body: { phone } }),
			{ ran, until: ['waiting', 'success', 'error'] },
		);
		return execution;
	};

	/** Publishes a workflow that waits, and starts it. */
	const run = async (file: WorkflowFile, path: string, phone?: string) => {
		const workflowId = await publish(file);
		return { workflowId, execution: await call(workflowId, path, 'Ask', phone) };
	};

	const lastCallback = () => String(n8n.emulator.ledger.requests.at(-1)?.args.callback_url);
	/** The service reports the call to the URL it was given, through the proxy. */
	const expectAccepted = async () => {
		const accepted = { status: 200, bodyExcerpt: '{"accepted":true}', error: undefined };
		expect(await n8n.emulator.callFrom(PHONE)).toMatchObject(accepted);
	};

	describe('the trigger', () => {
		const path = `trigger-${line}`;
		const hook = `hook-${line}/inbound-call`;
		let workflowId: string;

		beforeAll(async () => {
			workflowId = await publish(
				flow(
					'Trigger',
					[begin(path), startFor('trigger'), end('Asked')],
					[trigger(`hook-${line}`), end()],
					[manualTrigger, startFor('trigger', 'Ask by hand')],
				),
			);
		});

		it('is found by an action of its own workflow, and starts when the call comes', async () => {
			const asked = itemsOf(await call(workflowId, path, 'Ask'), 'Ask')[0] ?? {};
			expect(asked.callback_url).toBe(productionUrl(proxy.url, hook));
			const { execution } = await n8n.client.executions.startedBy(workflowId, expectAccepted, {
				ran: 'End',
			});
			expect(proxy.seen.at(-1)).toMatch(`POST ${SUB_PATH}/webhook/${hook}?exp=`);
			expect(itemsOf(execution, 'End')).toEqual([
				expect.objectContaining({
					callId: String(asked.vendor_id as number),
					clientNumber: PHONE,
					isMnp: expect.any(Boolean),
					reference: 'contact-42',
					callbackLink: asked.callback_url,
				}),
			]);
		});

		it('is found by an action that the editor runs', async () => {
			const asked = await n8n.client.run(workflowId, manualTrigger.name);
			expect(itemsOf(asked, 'Ask by hand')[0]?.callback_url).toBe(productionUrl(proxy.url, hook));
		});

		it('can listen in the editor, each time with the same sealed URL', async () => {
			const url = sealedUrl(testUrl(proxy.url, hook));
			for (const callId of [888, 888]) {
				await n8n.client.workflows.listen(workflowId, 'Trigger');
				const { result, execution } = await n8n.client.executions.startedBy(
					workflowId,
					async () => await callWebhook(url, { body: eventFor(callId) }),
					{ ran: 'End' },
				);
				expect(result.json).toEqual({ accepted: true });
				expect(execution.mode).toBe('manual');
			}
		});

		it('keeps an accepted event in the execution that failed, and Retry goes on from there', async () => {
			const { workflows, executions } = n8n.client;
			const failing = `failing-${line}`;
			const fail = node('Fail', 'stopAndError', { errorMessage: 'Down' });
			const id = await publish(flow('Failing', [trigger(failing), fail]));
			const url = sealedUrl(productionUrl(proxy.url, `${failing}/inbound-call`));
			const { execution, result } = await n8n.client.executions.startedBy(
				id,
				async () => await callWebhook(url, { body: eventFor(889) }),
				{ until: ['error'], ran: 'Trigger' },
			);
			expect(result.json).toEqual({ accepted: true });
			const retried = await executions.wait(await executions.retry(execution.id));
			expect(itemsOf(retried, 'Trigger')).toMatchObject([{ callId: '889', clientNumber: PHONE }]);
			expect(retried.error?.message).toContain('Down');
			await workflows.unpublish(id);
		});

		it('is no longer found once it is unpublished', async () => {
			await n8n.client.workflows.unpublish(workflowId);
			const { error } = await n8n.client.run(workflowId, manualTrigger.name);
			expect(error?.message).toBe('No published trigger was found in this workflow');
		});
	});

	describe('an execution', () => {
		// Runs out while the other tests run: n8n looks for such executions once a minute.
		let limited: string;
		beforeAll(async () => {
			const path = `limit-${line}`;
			const chain = [begin(path), startFor('execution'), waitFor('Wait', 0.2), end()];
			const { execution } = await run(flow('Limit', chain), path, '79161234568');
			limited = execution.id;
		});

		it('can wait twice, one call after the other', async () => {
			const path = `twice-${line}`;
			const chain = [
				begin(path),
				startFor('execution'),
				waitFor(),
				startFor('execution', 'Ask again'),
				waitFor('Wait again'),
				end(),
			];
			const { workflowId, execution } = await run(flow('Twice', chain), path);
			const url = `${proxy.url}/webhook-waiting/${execution.id}/inbound-call`;
			expect(itemsOf(execution, 'Ask')[0]).toMatchObject({ callback_url: url });
			await expectAccepted();
			await waitsAfter(n8n.client, workflowId, 'Ask again');
			await expectAccepted();
			const done = await n8n.client.executions.wait(execution.id, { ran: 'End' });
			expect(itemsOf(done, 'End')[0]).toMatchObject({
				received: true,
				callId: String(itemsOf(done, 'Ask again')[0]?.vendor_id as number),
				callbackLink: url,
				reference: 'contact-42',
			});
		});

		it('shows the visitor of a form the page after the call', async () => {
			const fields = { formTitle: 'Verify', formFields: { values: [{ fieldLabel: 'Name' }] } };
			const form = {
				...node('Form', 'formTrigger', { ...fields, options: {} }, 2.2),
				webhookId: `form-${line}`,
			};
			const page = {
				...node('Page', 'form', {
					operation: 'completion',
					completionTitle: '=Thank you, {{ $json.clientNumber }}',
					options: {},
				}),
				webhookId: `page-${line}`,
			};
			const id = await publish(flow('Form', [form, startFor('execution'), waitFor(), page]));
			const { result: visitor } = await n8n.client.executions.startedBy(
				id,
				async () => await FormVisitor.start(formUrl(proxy.url, { nodes: [form] }), 'Ann'),
				{ until: ['waiting', 'error'], ran: 'Ask' },
			);
			await expectAccepted();
			expect(await visitor.nextPage()).toMatchObject({ title: `Thank you, ${PHONE}` });
		});

		it('can wait in a sub-workflow', async () => {
			const { workflows, executions } = n8n.client;
			const called = node('Called', 'executeWorkflowTrigger', { inputSource: 'passthrough' }, 1.1);
			const child = await workflows.create(
				flow('Child', [called, startFor('execution'), waitFor()]),
			);
			// On 2.x a sub-workflow must be published before it can be called.
			await workflows.publish(child.id).catch(() => undefined);
			const path = `parent-${line}`;
			const workflowId = { __rl: true, mode: 'id', value: child.id };
			const parent = await publish(
				flow('Parent', [
					begin(path),
					node('Call', 'executeWorkflow', { workflowId, options: {} }, 1.2),
					end(),
				]),
			);
			const execution = await call(parent, path, 'Begin');
			await waitsAfter(n8n.client, child.id, 'Ask');
			await expectAccepted();
			const [newest] = await executions.list(child.id);
			const inChild = await executions.wait(newest?.id ?? '', { ran: 'Wait' });
			expect(itemsOf(inChild, 'Wait')[0]).toMatchObject({ received: true });
			// n8n 1.x resumes the caller too, but passes it the sub-workflow's input instead of its result.
			const inParent = await executions.wait(execution.id, { ran: 'End' });
			expect(itemsOf(inParent, 'End')[0]?.received).toBe(line === '1.x' ? undefined : true);
		});

		it('loses a call that comes before it waits: n8n refuses the event', async () => {
			const path = `early-${line}`;
			const { inboundWaits } = n8n.emulator.ledger;
			const vendorId = () => inboundWaits.at(-1)?.vendorId;
			// However slow the machine is, it does not wait for the event before it is let through here.
			const gate = new Gate();
			const release = gate.hold();
			const server = await startOtherServer((request, response) => {
				response.setHeader('content-type', 'application/json');
				const passOn = () => response.end(JSON.stringify({ vendor_id: vendorId() }));
				void gate.pass(request, passOn);
			});
			const slow = node('Slow', 'httpRequest', { url: server.url, options: {} }, 4.2);
			const chain = [begin(path), startFor('execution'), slow, waitFor(), end()];
			const workflowId = await publish(flow('Early', chain));
			const before = inboundWaits.length;
			const { execution, result: early } = await n8n.client.executions.startedBy(
				workflowId,
				async () => {
					await callWebhook(productionUrl(proxy.url, path), { body: { phone: PHONE } });
					await waitUntil(async () => inboundWaits.length > before || undefined, {
						what: 'the number is requested',
						longestPause: 20,
					});
					const answer = await callWebhook(lastCallback(), { body: eventFor(vendorId()) });
					release();
					return answer;
				},
				{ until: ['waiting'], ran: 'Slow' },
			);
			server.close();
			expect(early.status).toBe(409);
			expect(execution.nodes).not.toHaveProperty('End');
			// It waits for an event that nobody sends again.
			await expectAccepted();
			await n8n.client.executions.wait(execution.id, { ran: 'End' });
		});

		it('is not resumed twice by two right events at once', async () => {
			const path = `race-${line}`;
			const { workflowId, execution } = await run(
				flow('Race', [begin(path), startFor('execution'), waitFor(), end()]),
				path,
			);
			const body = eventFor(itemsOf(execution, 'Ask')[0]?.vendor_id);
			const url = lastCallback();
			const answers = await Promise.all(
				[1, 2, 3, 4].map(async () => await callWebhook(url, { body })),
			);
			expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
			const done = await n8n.client.executions.wait(execution.id, { ran: 'End' });
			expect(done.nodes.End).toHaveLength(1);
			expect(await n8n.client.executions.list(workflowId)).toHaveLength(1);
		});

		it('continues without the call when the limit ends', async () => {
			const done = await n8n.client.executions.wait(limited, { ran: 'End' });
			const asked = itemsOf(done, 'Ask')[0];
			expect(itemsOf(done, 'End')).toEqual([{ ...asked, received: false }]);
			expect(asked).not.toHaveProperty('received');
		});
	});

	// All at the same restart: a start of n8n takes longer than all of them.
	describe('after a restart under another public address', () => {
		const PUBLIC = 'https://public.example.com/n8n';
		const hook = `erased-${line}`;
		let workflowId: string;
		let waiting: { id: string; body: object; url: string };

		const erase = async () => itemsOf(await call(workflowId, `erase-${hook}`, 'Erase'), 'Erase');
		const ask = async () => itemsOf(await call(workflowId, `ask-${hook}`, 'Ask'), 'Ask');
		const foundAt = (url: string) => [
			expect.objectContaining({ callback_url: productionUrl(url, `${hook}/inbound-call`) }),
		];

		beforeAll(async () => {
			const path = `restart-${line}`;
			const { execution } = await run(
				flow('Restart', [begin(path), startFor('execution'), waitFor(), end()]),
				path,
			);
			const body = eventFor(itemsOf(execution, 'Ask')[0]?.vendor_id);
			waiting = { id: execution.id, body, url: lastCallback() };

			// A Code node that saves static data without the trigger's entry.
			const jsCode = `const data = $getWorkflowStaticData('global');
delete data.callVerificationTriggers;
data.counter = (data.counter ?? 0) + 1;
return [{ json: { ...data } }];`;
			workflowId = await publish(
				flow(
					'Erased',
					[begin(`ask-${hook}`), startFor('trigger')],
					[begin(`erase-${hook}`, 'Begin to erase'), node('Erase', 'code', { jsCode }, 2)],
					[trigger(hook), end()],
				),
			);
			expect(await erase()).toEqual([{ counter: 1 }]);
			expect(await ask()).toEqual(foundAt(proxy.url));
			expect(await erase()).toEqual([{ counter: 2 }]);
			await n8n.running.stop();
			await n8n.boot({ N8N_WEBHOOK_URL: `${PUBLIC}/` });
			proxy.leadTo(n8n.url);
		});

		it('a trigger is found under that address, even if a Code node had erased its entry', async () => {
			expect(await ask()).toEqual(foundAt(PUBLIC));
		});

		it('an execution still waits for its call', async () => {
			const { id, body, url } = waiting;
			expect((await callWebhook(url, { body })).status).toBe(200);
			const done = await n8n.client.executions.wait(id, { ran: 'End' });
			expect(itemsOf(done, 'End')[0]).toMatchObject({ received: true });
		});
	});
});
