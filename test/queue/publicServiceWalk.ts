import type { IDataObject } from 'n8n-workflow';
import type { Ledger } from '../../emulator/emulator';
import { systemClock } from '../../emulator/clock';
import { ALWAYS_FAILS } from '../../emulator/service/numbers';
import { ucaller } from '../../emulator/played/ucaller';
import {
	callWebhook,
	type Credential,
	type Execution,
	FormVisitor,
	formUrl,
	itemsOf,
	type N8nClient,
	productionUrl,
	testUrl,
} from '../../harness';
import { chain, manualTrigger, set, sideBySide } from '../../harness/rest/workflowFile';
import { type EmulatedService, startEmulatedService } from '../../harness/emulatedService';
import {
	exampleParameters,
	inboundNode,
	NODE,
	type OperationParameters,
	runNode,
	triggerNode,
} from '../../harness/workflows/nodeRunner';
import { trueEvent } from '../../harness/workflows/inboundEvents';
import { LoginApi } from '../../harness/workflows/loginApi';
import { publishExample, withSavedExecutions } from '../../harness/workflows/examples';
import { operations } from '../../scripts/generate/rows';
import { inboundCall } from '../versions/inboundCall';
import { createModelCredential, startModelStandIn, type Turn } from '../e2e/modelStandIn';
import { waitsAfter } from '../e2e/waitsAfter';
import type { Stage } from './stage';

/** Operations that this service, or this test, treats in a way of its own. */
const APART = ['call.repeat', 'inboundCall.wait'];
const plain = operations.filter(({ name }) => !APART.includes(name));

/** What the service leaves out if it does not apply. */
const OPTIONAL = ['client', 'exists'];

let people = 0;
/** Nobody is called twice, because 15 seconds would have to pass in between. */
const somebody = () => `7916200${String(++people).padStart(4, '0')}`;

/** A walk through all operations, and the examples that call, with a service that answers like the public one, limits included. */
export function walkThrough(stage: () => Stage): void {
	/** The URL is that of a process that receives webhooks and shows forms. */
	let n8n: EmulatedService & { readonly client: N8nClient; readonly url: string };
	let ledger: Ledger;
	/** While it is set, the service's clock stands still. */
	let standsStillAt: number | undefined;

	beforeAll(async () => {
		const { client, queueMode } = stage();
		const clock = { ...systemClock, now: () => standsStillAt ?? systemClock.now() };
		const service = await startEmulatedService(client, { as: 'ucaller', ...ucaller, clock });
		n8n = { client, url: queueMode.webhooks[0].url, ...service };
		({ ledger } = n8n.emulator);
	});

	afterAll(async () => await n8n?.emulator.close());

	async function runOne(parameters: OperationParameters): Promise<Execution> {
		return await runNode(n8n.client, n8n.credential, parameters);
	}

	async function outputOf(parameters: OperationParameters): Promise<IDataObject> {
		const execution = await runOne(parameters);
		expect(execution.error).toBeUndefined();
		return itemsOf(execution, NODE)[0] ?? {};
	}

	const start = (phone: string, values: object = {}): OperationParameters => ({
		resource: 'call',
		operation: 'start',
		phone,
		...values,
	});

	describe('an operation', () => {
		test.each(plain)('$name returns its fields in our names', async ({ name, operation }) => {
			const { vendor_id: uid } = await outputOf(start(somebody()));
			const parameters = exampleParameters(name, Number(uid));
			const own = name === 'call.start' ? { phone: somebody() } : {};
			const names = Object.keys(await outputOf({ ...parameters, ...own }));
			const declared = Object.keys(operation.output);
			expect(names).toEqual(declared.filter((each) => names.includes(each)));
			expect(declared.filter((each) => !names.includes(each) && !OPTIONAL.includes(each))).toEqual(
				[],
			);
		});

		test('call.start returns a call that could not be connected, with its ID', async () => {
			// A minute ago, so that the number may be called again.
			n8n.emulator.setNow(Date.now() - 60_000);
			const item = await outputOf(start(ALWAYS_FAILS, { waitForResult: true }));
			n8n.emulator.setNow(Date.now());
			const call = ledger.calls.at(-1);
			expect(item).toMatchObject({
				status: false,
				vendor_id: call?.vendorId,
				phone: '7900***0002',
				call_state: 'failed',
			});
		});

		test('call.start says what to do when a number was called a moment ago', async () => {
			const phone = somebody();
			standsStillAt = systemClock.now();
			await outputOf(start(phone));
			const { error } = await runOne(start(phone));
			standsStillAt = undefined;
			expect(error?.message).toContain('(code 19)');
			expect(JSON.stringify(error)).toContain('15 seconds');
			expect(ledger.calls.filter((call) => call.phone === phone)).toHaveLength(1);
		});

		test('call.repeat says that the service no longer supports it', async () => {
			const { vendor_id: uid } = await outputOf(start(somebody()));
			const repeat = { resource: 'call', operation: 'repeat', uid: Number(uid) };
			const { error } = await runOne(repeat);
			expect(error?.message).toContain('The service no longer supports repeating a call');
		});

		test.each(['trigger', 'execution'] as const)(
			'inboundCall.start leads to the event of the %s',
			async (target) => {
				const { pathname } = await inboundCall(n8n, n8n.client, n8n, target);
				expect(pathname).toContain('/inbound-call');
			},
		);
	});

	/** n8n runs these on a worker, which gets neither static data nor whether a workflow is published. */
	describe('a run of the editor', () => {
		const HOOK = 'by-hand';
		const ask = (callbackTarget: string, phone: string) =>
			inboundNode(n8n.credential, 'Ask', 'start', { phone, callbackTarget, callbackUrl: '' });
		const wait = () =>
			inboundNode(n8n.credential, 'Wait', 'wait', { uid: '={{ $json.vendor_id }}' });
		const end = set('End', '={{ $json }}');
		let workflowId: string;

		beforeAll(async () => {
			const { id } = await n8n.client.workflows.create(
				sideBySide(
					chain('By hand', manualTrigger, ask('trigger', somebody())),
					chain('', triggerNode(n8n.credential, 'Trigger', HOOK), end),
				),
			);
			workflowId = id;
		});

		const askByHand = async () => await n8n.client.run(workflowId, manualTrigger.name);

		test('finds no trigger before the workflow is published, and says so', async () => {
			const { error } = await askByHand();
			expect(error?.message).toBe('No published trigger was found in this workflow');
			expect(error?.description).toContain('Publish this workflow');
		});

		test('finds the published trigger', async () => {
			await n8n.client.workflows.publish(workflowId);
			expect(itemsOf(await askByHand(), 'Ask')[0]?.callback_url).toBe(
				productionUrl(n8n.url, `${HOOK}/inbound-call`),
			);
		});

		test('finds it no longer once it is unpublished', async () => {
			await n8n.client.workflows.unpublish(workflowId);
			const { error } = await askByHand();
			expect(error?.message).toBe('No published trigger was found in this workflow');
		});

		test('gets the event that the trigger listens for', async () => {
			const { client } = n8n;
			await client.workflows.listen(workflowId, 'Trigger');
			const { secretKey } = n8n.emulator;
			const { query, body } = trueEvent({ secretKey, target: HOOK, issuer: workflowId }, 0);
			const headers = { 'content-type': 'application/json' };
			// Only the main process knows what the editor listens for.
			const url = `${testUrl(stage().queueMode.main.url, `${HOOK}/inbound-call`)}${query}`;
			const { result, execution } = await client.executions.startedBy(
				workflowId,
				async () => await callWebhook(url, { body, headers }),
				{ ran: end.name },
			);
			expect(result.json).toEqual({ accepted: true });
			expect(execution.mode).toBe('manual');
			expect(itemsOf(execution, end.name)).toMatchObject([{ issued_by: workflowId }]);
		});

		test('waits for the call, and goes on when it has come', async () => {
			const { workflows, executions } = n8n.client;
			const phone = somebody();
			const { id } = await workflows.create(
				chain('Wait by hand', manualTrigger, ask('execution', phone), wait(), end),
			);
			const execution = await workflows.run(id);
			await executions.wait(execution, { until: ['waiting'], ran: 'Ask' });
			await n8n.emulator.callFrom(phone);
			const resumed = await executions.wait(execution, { ran: end.name });
			expect(itemsOf(resumed, end.name)).toMatchObject([{ received: true, clientNumber: phone }]);
		});
	});

	describe('the example', () => {
		async function published(name: string, own: Record<string, Credential> = {}) {
			const { id, file } = await publishExample(name, 'walk', n8n, own, withSavedExecutions);
			return { id, form: () => formUrl(n8n.url, file) };
		}

		test('call-and-check-code verifies a visitor, and shows a number to call if no call gets through', async () => {
			const form = (await published('call-and-check-code')).form();
			const visitor = await FormVisitor.start(form, `+${somebody()}`);
			await visitor.nextPage();
			await visitor.submit(ledger.calls.at(-1)?.code ?? '');
			expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });

			const unreachable = await FormVisitor.start(form, `+${ALWAYS_FAILS}`);
			expect(await unreachable.nextPage()).toMatchObject({ title: 'Call this number now' });
		});

		test('login-api verifies a number with the code', async () => {
			const api = await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix: 'walk' });
			const phone = somebody();
			const token = await api.start(`+${phone}`);
			expect(await api.check(token, ledger.calls.at(-1)?.code ?? '')).toMatchObject({
				status: 200,
				json: { verified: true, phone },
			});
		});

		test('login-api verifies the phone of a person who calls', async () => {
			const api = await LoginApi.publish({ ...n8n, urls: [n8n.url], prefix: 'walk-inbound' });
			const phone = somebody();
			const shown = await api.numberToCall(`+${phone}`);
			await waitsAfter(n8n.client, api.workflowId, 'Number and Token');
			expect(await n8n.emulator.callFrom(phone)).toMatchObject({ status: 200 });
			expect(await api.verifiedBy(shown)).toEqual({ verified: true, phone });
		});

		test('verify-by-inbound-call thanks the visitor when the call has come', async () => {
			const { id, form } = await published('verify-by-inbound-call');
			const phone = somebody();
			const visitor = await FormVisitor.start(form(), `+${phone}`);
			expect(await visitor.nextPage()).toMatchObject({ title: 'Call this number now' });
			await waitsAfter(n8n.client, id, 'Waiting for a Call?');
			await n8n.emulator.callFrom(phone);
			expect(await visitor.nextPage()).toMatchObject({ title: 'Thank you' });
		});

		test('ai-agent checks a number, calls it and checks the code', async () => {
			const phone = `+${somebody()}`;
			const script: Turn[] = [
				{ tool: 'Check_Number', arguments: { phone } },
				{ tool: 'Call_With_Code', arguments: { phone } },
				{ say: 'Which four digits?' },
			];
			const model = await startModelStandIn(script);
			const openAiApi = await createModelCredential(n8n.client, model, 'OpenAi account');
			const { id } = await published('ai-agent', { openAiApi });
			const { client } = n8n;
			const say = async (text: string) =>
				await client.executions.wait(await client.workflows.chat(id, 'visitor', text));
			await say(`Please verify ${phone}`);
			const [token = ''] = /v1\.[0-9a-f]{96}/.exec(model.toolAnswers().at(-1) ?? '') ?? [];
			const code = ledger.calls.at(-1)?.code ?? '';
			script.push(
				{ tool: 'Check_Code', arguments: { verification_token: token, code } },
				{ say: 'You are verified.' },
			);
			await say(`They are ${code}`);
			expect(model.toolAnswers().at(-1)).toContain('"matched":true');
			await model.close();
		});
	});
}
