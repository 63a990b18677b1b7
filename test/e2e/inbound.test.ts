import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';

import type { INodeParameters } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import type { Emulator } from '../../emulator/emulator';
import {
	callWebhook,
	connect,
	type Credential,
	itemsOf,
	type N8nClient,
	n8nProgram,
	productionUrl,
	type RunningN8n,
	startN8n,
	testUrl,
	waitUntil,
	type WorkflowFile,
} from '../../harness';
import { chain, set, sideBySide, webhook } from '../../harness/sampleWorkflow';
import { startEmulatedService } from '../../harness/workflows/emulatedService';
import { inboundNode, triggerNode } from '../../harness/workflows/nodeRunner';
import { instances } from './instances';
import { ownUserFolder } from './ownUserFolder';

const PHONE = '79161234567';

describe.each(instances)('inbound calls in n8n $version', (instance) => {
	const { line } = instance;
	let userFolder: string;
	let emulator: Emulator;
	let n8n: RunningN8n;
	let client: N8nClient;
	let credential: Credential;

	const boot = async (settings: Record<string, string> = {}) => {
		n8n = await startN8n(await n8nProgram(line), { userFolder, settings });
		client = await connect(n8n);
	};

	beforeAll(async () => {
		userFolder = await ownUserFolder(instance);
		await boot();
		({ emulator, credential } = await startEmulatedService(client));
	});

	afterAll(async () => {
		await n8n?.stop();
		await emulator?.close();
		await rm(userFolder, { recursive: true, force: true });
	});

	const node = (name: string, type: string, parameters: INodeParameters = {}, more = {}) => ({
		...set(name, ''),
		type: `n8n-nodes-base.${type}`,
		typeVersion: 1,
		parameters,
		...more,
	});
	const begin = (path: string, name = 'Begin') => {
		const { parameters, ...rest } = webhook(path);
		return { ...rest, id: name, name, parameters: { ...parameters, responseMode: 'onReceived' } };
	};
	const trigger = (webhookId: string) => triggerNode(credential, 'Trigger', webhookId);
	const end = (name = 'End') => node(name, 'noOp');

	/** Chains side by side in one workflow. */
	const flow = (name: string, ...chains: Array<Parameters<typeof chain>[1][]>) =>
		chains.map((nodes) => chain(name, ...nodes)).reduce(sideBySide);

	const startFor = (callbackTarget: string, name = 'Ask') =>
		inboundNode(credential, name, 'start', {
			phone: `={{ $json.body?.phone ?? "${PHONE}" }}`,
			callbackTarget,
			callbackUrl: '',
			options: { reference: 'contact-42' },
		});
	const waitFor = (name = 'Wait', limitWaitTime = 60) =>
		inboundNode(credential, name, 'wait', { uid: '={{ $json.vendor_id }}', limitWaitTime });

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
			emulator.secretKey,
		);

	const eventFor = (callId: number) => ({
		callId: String(callId),
		callbackLink: '',
		clientNumber: PHONE,
		confirmationNumber: emulator.ledger.inboundWaits.at(-1)?.confirmationNumber ?? '',
		isMnp: false,
		operatorName: '',
		operatorNameMnp: '',
		regionName: '',
	});

	/** Publishes a workflow and starts it by its webhook. Returns the execution once it waits. */
	const run = async (file: WorkflowFile, path: string, phone = PHONE) => {
		const { id } = await client.workflows.create(file);
		await client.workflows.publish(id);
		const { execution } = await client.executions.startedBy(
			id,
			async () => await callWebhook(productionUrl(n8n.url, path), { body: { phone, name: 'Ann' } }),
			{ until: ['waiting', 'error'], ran: 'Begin' },
		);
		return { workflowId: id, execution };
	};

	/** The last request the service received. */
	const lastCallback = () => String(emulator.ledger.requests.at(-1)?.args.callback_url);

	describe('the trigger', () => {
		const path = `trigger-${line}`;
		let workflowId: string;

		beforeAll(async () => {
			const file = flow(
				'Trigger',
				[begin(path), startFor('trigger'), end('Asked')],
				[trigger(`hook-${line}`), end()],
				[node('Start', 'manualTrigger'), startFor('trigger', 'Ask by hand')],
			);
			({ id: workflowId } = await client.workflows.create(file));
			await client.workflows.publish(workflowId);
		});

		const ask = async () => {
			const { execution } = await client.executions.startedBy(
				workflowId,
				async () => await callWebhook(productionUrl(n8n.url, path), { body: { phone: PHONE } }),
				{ ran: 'Ask' },
			);
			return itemsOf(execution, 'Ask')[0] ?? {};
		};

		it('is found by an action of its own workflow, and starts when the call comes', async () => {
			const asked = await ask();
			expect(asked.callback_url).toBe(productionUrl(n8n.url, `hook-${line}/inbound-call`));
			const { result: delivery, execution } = await client.executions.startedBy(
				workflowId,
				async () => await emulator.callFrom(PHONE),
				{ ran: 'End' },
			);
			expect(delivery).toMatchObject({ status: 200 });
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

		it('can listen in the editor, each time with the same sealed URL', async () => {
			const url = sealedUrl(testUrl(n8n.url, `hook-${line}/inbound-call`));
			for (const callId of [888, 888]) {
				await client.workflows.listen(workflowId, 'Trigger');
				const { result, execution } = await client.executions.startedBy(
					workflowId,
					async () => await callWebhook(url, { body: eventFor(callId) }),
					{ ran: 'End' },
				);
				expect(result.json).toEqual({ accepted: true });
				expect(execution.mode).toBe('manual');
			}
		});

		it('is no longer found once it is unpublished', async () => {
			await client.workflows.unpublish(workflowId);
			const executionId = await client.workflows.run(workflowId, 'Start');
			const execution = await client.executions.wait(executionId);
			expect(execution.error?.message).toBe('No published trigger was found in this workflow');
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
			const { execution } = await run(flow('Twice', chain), path);
			await emulator.callFrom(PHONE);
			const second = await waitUntil(
				async () => {
					const seen = await client.executions.get(execution.id);
					return seen.status === 'waiting' && seen.nodes['Ask again'] ? seen : undefined;
				},
				{ what: 'the execution waits for the second call', limit: 30_000 },
			);
			const callId = itemsOf(second, 'Ask again')[0]?.vendor_id as number;
			await emulator.callFrom(PHONE);
			const done = await client.executions.wait(execution.id, { ran: 'End' });
			expect(itemsOf(done, 'End')[0]).toMatchObject({ received: true, callId: String(callId) });
		});

		it('can wait in a sub-workflow', async () => {
			const child = await client.workflows.create(
				flow('Child', [
					node(
						'Called',
						'executeWorkflowTrigger',
						{ inputSource: 'passthrough' },
						{ typeVersion: 1.1 },
					),
					startFor('execution'),
					waitFor(),
				]),
			);
			// On 2.x a sub-workflow must be published before it can be called.
			await client.workflows.publish(child.id).catch(() => undefined);
			const path = `parent-${line}`;
			const call = node(
				'Call',
				'executeWorkflow',
				{ workflowId: { __rl: true, mode: 'id', value: child.id }, options: {} },
				{ typeVersion: 1.2 },
			);
			const { execution } = await run(flow('Parent', [begin(path), call, end()]), path);
			await waitUntil(
				async () =>
					(await client.executions.list(child.id)).some(({ status }) => status === 'waiting')
						? true
						: undefined,
				{ what: 'the sub-workflow waits', limit: 20_000 },
			);
			expect(await emulator.callFrom(PHONE)).toMatchObject({ status: 200 });
			const [called] = await client.executions.list(child.id);
			const inChild = await client.executions.wait(called?.id ?? '', { ran: 'Wait' });
			expect(itemsOf(inChild, 'Wait')[0]).toMatchObject({ received: true });
			// n8n 1.x resumes the caller too, but passes it the sub-workflow's input instead of its result.
			const inParent = await client.executions.wait(execution.id, { ran: 'End' });
			expect(itemsOf(inParent, 'End')[0]?.received).toBe(line === '1.x' ? undefined : true);
		});

		it('is not resumed twice by two right events at once', async () => {
			const path = `race-${line}`;
			const { workflowId, execution } = await run(
				flow('Race', [begin(path), startFor('execution'), waitFor(), end()]),
				path,
			);
			const callId = itemsOf(execution, 'Ask')[0]?.vendor_id as number;
			const url = lastCallback();
			const answers = await Promise.all(
				[1, 2, 3, 4].map(async () => await callWebhook(url, { body: eventFor(callId) })),
			);
			expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
			const done = await client.executions.wait(execution.id, { ran: 'End' });
			expect(done.nodes.End).toHaveLength(1);
			expect(await client.executions.list(workflowId)).toHaveLength(1);
		});

		it('continues without the call when the limit ends', async () => {
			const done = await client.executions.wait(limited, { ran: 'End', limit: 120_000 });
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
		let waiting: { id: string; event: object; url: URL };

		const call = async (path: string, ran: string) => {
			const { execution } = await client.executions.startedBy(
				workflowId,
				async () => await callWebhook(productionUrl(n8n.url, path), { body: { phone: PHONE } }),
				{ ran, until: ['success', 'error'] },
			);
			return execution;
		};
		const erase = async () => await call(`erase-${hook}`, 'Erase');
		const ask = async () => await call(`ask-${hook}`, 'Ask');
		const foundAt = (url: string) => [
			expect.objectContaining({ callback_url: productionUrl(url, `${hook}/inbound-call`) }),
		];

		beforeAll(async () => {
			const path = `restart-${line}`;
			const { execution } = await run(
				flow('Restart', [begin(path), startFor('execution'), waitFor(), end()]),
				path,
			);
			const event = eventFor(itemsOf(execution, 'Ask')[0]?.vendor_id as number);
			waiting = { id: execution.id, event, url: new URL(lastCallback()) };

			// A Code node that saves static data without the trigger's entry.
			const jsCode = `const data = $getWorkflowStaticData('global');
delete data.callVerificationTriggers;
data.counter = (data.counter ?? 0) + 1;
return [{ json: { ...data } }];`;
			const file = flow(
				'Erased',
				[begin(`ask-${hook}`), startFor('trigger')],
				[
					begin(`erase-${hook}`, 'Begin to erase'),
					node('Erase', 'code', { jsCode }, { typeVersion: 2 }),
				],
				[trigger(hook), end()],
			);
			({ id: workflowId } = await client.workflows.create(file));
			await client.workflows.publish(workflowId);
			expect(itemsOf(await erase(), 'Erase')).toEqual([{ counter: 1 }]);
			expect(itemsOf(await ask(), 'Ask')).toEqual(foundAt(n8n.url));
			expect(itemsOf(await erase(), 'Erase')).toEqual([{ counter: 2 }]);
			await n8n.stop();
			await boot({ WEBHOOK_URL: `${PUBLIC}/` });
		});

		it('a trigger is found under that address, even if a Code node had erased its entry', async () => {
			expect(itemsOf(await ask(), 'Ask')).toEqual(foundAt(PUBLIC));
		});

		it('an execution still waits for its call', async () => {
			const { id, event, url } = waiting;
			url.port = new URL(n8n.url).port;
			expect((await callWebhook(url.toString(), { body: event })).status).toBe(200);
			const done = await client.executions.wait(id, { ran: 'End' });
			expect(itemsOf(done, 'End')[0]).toMatchObject({ received: true });
		});
	});
});
