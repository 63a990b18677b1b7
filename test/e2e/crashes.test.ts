import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import {
	callWebhook,
	type Execution,
	filesOf,
	itemsOf,
	productionUrl,
	waitUntil,
	type WorkflowFile,
} from '../../harness';
import { chain, manualTrigger, nodeOf, webhook } from '../../harness/rest/workflowFile';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import { actionNode, NODE, triggerNode, workflowWith } from '../../harness/workflows/nodeRunner';
import { type OtherServer, startOtherServer } from '../../harness/workflows/otherServers';
import { readExample, withChosenCredentials, withSettings } from '../../harness/workflows/examples';
import { describeInOwnN8n } from './inN8n';
import { storedFiles } from './storedExecutions';

const LIMIT = 300_000;
const PHONE = '79000000001';
const EVENTS = 'crash-events';
const CHECKED = ['+7 900 000-70-01', '+7 900 000-70-02', '+7 900 000-70-03'];
const EVENT = {
	callId: '1',
	callbackLink: '',
	clientNumber: PHONE,
	confirmationNumber: '74950000001',
	isMnp: false,
	operatorName: '',
	operatorNameMnp: '',
	regionName: '',
};
/** With it, the first bytes of a file are whole groups of base64, in which n8n 1.x stores files. */
const COLUMN = 'Client phone';
const PATIENTLY = { limit: LIMIT } as const;

// It starts n8n twice, which takes minutes on a busy machine.
jest.setTimeout(4 * LIMIT);

describeInOwnN8n(
	'a crash of n8n',
	() => ({ service: { callResultAfterMs: 0 } }),
	(n8n) => {
		/** Keeps an execution from going on until n8n has crashed. */
		let gate: OtherServer;
		let isOpen = false;
		const ids: Record<string, string> = {};
		/** How often each number of the list was paid for until then. */
		let paidBefore: number[];

		beforeAll(async () => {
			gate = await startOtherServer((_request, response) => {
				if (isOpen) response.end('{}');
			});
			await prepare();
			await n8n.running.kill();
			await waitUntil(async () => n8n.emulator.ledger.inFlight === 0 || undefined, {
				...PATIENTLY,
				what: 'the service is idle',
			});
			paidBefore = timesPaid();
			isOpen = true;
			n8n.emulator.faults.clear();
			await n8n.boot();
		});

		afterAll(() => gate?.close());

		test('after it has accepted an event: the execution is marked as failed', async () => {
			const [execution, ...others] = await n8n.client.executions.list(ids.event ?? '');
			expect(others).toEqual([]);
			expect(execution?.status).toBe('crashed');
		});

		test('after a code has matched: the code is used up', async () => {
			const { code } = lastCall();
			expect(await checked(code)).toMatchObject({ matched: false, reason: 'alreadyUsed' });
		});

		test('while a number to call was handed on: a new start requests a new number', async () => {
			expect(numbersToCall()).toBe(1);
			await run(ids.number ?? '');
			expect(numbersToCall()).toBe(2);
		});

		test('n8n’s Retry: starts from the beginning, but n8n refuses it after a start in the editor', async () => {
			const { executions } = n8n.client;
			const crashed = async (name: string) => {
				const found = await executions.list(ids[name] ?? '');
				return found.find(({ status }) => status === 'crashed')?.id ?? '';
			};
			const retried = await executions.wait(await executions.retry(await crashed('event')));
			expect(retried).toMatchObject({ mode: 'retry', status: 'success' });
			expect(itemsOf(retried, 'Hold')).toHaveLength(1);
			expect(JSON.stringify(retried.nodes.Event)).toContain(PHONE);
			await expect(executions.retry(await crashed('number'))).rejects.toThrow(
				'The execution was aborted before starting, so it cannot be retried',
			);
		});

		test('in check-list-schedule: the checks of that run are paid again', async () => {
			expect((await run(ids.list ?? '')).error).toBeUndefined();
			expect(timesPaid()).toEqual(paidBefore.map((times) => times + 1));
			const paid = timesPaid();
			expect((await run(ids.list ?? '')).error).toBeUndefined();
			expect(timesPaid()).toEqual(paid);
		});

		test('leaves the files of earlier executions in n8n’s folder, until they are deleted with them', async () => {
			const start = Buffer.from(`${COLUMN},valid,phone_e164,`);
			const isStored = async () =>
				(await storedFiles(n8n.userFolder)).some(
					(file) => file.includes(start) || file.includes(start.toString('base64')),
				);
			expect(await isStored()).toBe(false);
			const parameters = {
				resource: 'phoneNumber',
				operation: 'checkFile',
				binaryPropertyName: 'data',
				phoneColumn: COLUMN,
			};
			const file = workflowWith(n8n.credential, parameters, {
				items: [{ [COLUMN]: CHECKED[0] }],
			});
			const execution = await run((await n8n.client.workflows.create(file)).id);
			expect(execution.error).toBeUndefined();
			expect(await isStored()).toBe(true);
			await n8n.client.executions.delete(execution.id);
			// n8n 1.x stores it in the execution itself, and the file of its database keeps deleted bytes for a while.
			if (n8n.line === '1.x') return;
			await waitUntil(async () => !(await isStored()) || undefined, {
				...PATIENTLY,
				what: 'the file is deleted with its execution',
			});
		});

		/** Starts everything that the crash is to interrupt, and returns once it is at that point. */
		async function prepare(): Promise<void> {
			const { client, credential, emulator } = n8n;
			const hold = nodeOf('Hold', 'n8n-nodes-base.httpRequest', 4.2, {
				url: gate.url,
				options: { timeout: 4 * LIMIT },
			});
			const create = async (name: string, file: WorkflowFile) => {
				ids[name] = (await client.workflows.create(file)).id;
				return ids[name];
			};
			const number = actionNode(credential, {
				resource: 'inboundCall',
				operation: 'start',
				phone: PHONE,
				callbackTarget: 'url',
				callbackUrl: 'https://n8n.test/inbound-call',
			});
			await client.workflows.run(
				await create('number', chain('Number', manualTrigger, number, hold)),
			);

			const event = chain('Event', triggerNode(credential, 'Event', EVENTS), hold);
			const open = event.nodes.map((node) =>
				node.name === 'Event' ? { ...node, parameters: { eventAuthentication: 'none' } } : node,
			);
			await client.workflows.publish(await create('event', { ...event, nodes: open }));
			const eventUrl = productionUrl(n8n.url, `${EVENTS}/inbound-call`);
			expect(await callWebhook(eventUrl, { body: EVENT })).toMatchObject({ status: 200 });

			const start = actionNode(credential, { resource: 'call', operation: 'start', phone: PHONE });
			await run(await create('call', chain('Call', manualTrigger, start)));
			const check = actionNode(credential, {
				resource: 'call',
				operation: 'checkCode',
				uid: lastCall().vendorId,
				code: '={{ $json.body.code }}',
			});
			const code = chain('Code', webhook('crash-code', 'onReceived'), check, hold);
			await client.workflows.publish(await create('code', code));
			await postCode(lastCall().code);
			await waitUntil(async () => gate.paths.length === 3 || undefined, {
				...PATIENTLY,
				what: 'three executions are held up',
				seen: () => gate.paths.join(' '),
			});

			const folder = join(filesOf(n8n.userFolder), 'crash');
			await mkdir(folder, { recursive: true });
			await writeFile(join(folder, 'phones.csv'), `phone\n${CHECKED.join('\n')}\n`);
			const list = withSettings(
				withChosenCredentials(await readExample('check-list-schedule'), {
					[CREDENTIAL_TYPE]: credential,
				}),
				{ folder, month: '2026-01', defaultCountryCode: '7', firstRun: true, busyMinutes: 0 },
			);
			// So slow that the list is not complete when n8n crashes.
			emulator.faults.add({ kind: 'delay', ms: 2_000 });
			await client.workflows.run(await create('list', list));
			await waitUntil(async () => timesPaid().includes(1) || undefined, {
				...PATIENTLY,
				what: 'a number of the list is paid for',
			});
		}

		async function run(id: string): Promise<Execution> {
			return await n8n.client.executions.wait(await n8n.client.workflows.run(id), PATIENTLY);
		}

		async function postCode(code: string): Promise<void> {
			const url = productionUrl(n8n.url, 'crash-code');
			expect(await callWebhook(url, { body: { code } })).toMatchObject({ status: 200 });
		}

		/** What the workflow that crashed answers to this code now. */
		async function checked(code: string): Promise<IDataObject | undefined> {
			await postCode(code);
			const [latest] = await n8n.client.executions.list(ids.code ?? '');
			const execution = await n8n.client.executions.wait(latest?.id ?? '', PATIENTLY);
			return itemsOf(execution, NODE)[0];
		}

		function lastCall() {
			const call = n8n.emulator.ledger.calls.at(-1);
			if (!call) throw new Error('Nobody was called');
			return call;
		}

		const numbersToCall = () => n8n.emulator.ledger.inboundWaits.length;

		function timesPaid(): number[] {
			const { checks } = n8n.emulator.ledger;
			return CHECKED.map((phone) => checks.filter(({ source }) => source === phone).length);
		}
	},
);
