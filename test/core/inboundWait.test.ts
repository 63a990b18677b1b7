import { randomBytes } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import { EVENT, queryOf, WaitingExecution } from './inbound';
import { TOOL } from './parameters';
import { credential, runNode, SECRET_KEY } from '../../harness/engine/n8nCore';

const NOW = Math.floor(Date.now() / 1_000);
const wait = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'inboundCall',
	operation: 'wait',
	uid: '={{ $json.vendor_id }}',
	limitWaitTime: 10,
	...values,
});
const ITEM = { vendor_id: 1234567, phone: '7900*****01', name: 'Ann', nested: { deep: [1] } };

const sealed = ({
	phone = EVENT.clientNumber,
	expiresAt = NOW + 600,
	reference = 'r',
	key = SECRET_KEY,
} = {}) =>
	queryOf(
		sealCallback(
			'https://n8n.test/webhook-waiting/1/inbound-call',
			{ phone, expiresAt, reference, issuer: 'workflow-id', nonce: sealNonce(randomBytes) },
			key,
		),
	);

let executions = 0;
/** A separate execution each time: the call that resumed an execution is remembered for it. */
const waiting = async (parameters = wait(), item: IDataObject = ITEM, name?: string) =>
	await WaitingExecution.start(parameters, item, { executionId: `wait-${++executions}`, name });

describe('waiting for an inbound call', () => {
	it('suspends the execution until the limit', async () => {
		const before = Date.now();
		const execution = await waiting();
		const limit = (execution.waitTill?.getTime() ?? 0) - before;
		expect(limit).toBeGreaterThanOrEqual(600_000);
		expect(limit).toBeLessThan(630_000);
	});

	it('continues with the event when the call comes, and keeps the item’s fields', async () => {
		const execution = await waiting();
		const result = await execution.post({ body: EVENT, query: sealed() });
		expect(result).toMatchObject({ status: 200, answer: { accepted: true } });
		expect(result.items).toEqual([
			{
				...ITEM,
				...EVENT,
				reference: 'r',
				issued_by: 'workflow-id',
				received: true,
				received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
			},
		]);
	});

	it('continues without it when the limit ends, with the item’s fields untouched', async () => {
		const execution = await waiting();
		const { success } = await execution.resumeByTimer();
		expect(success.map(({ json }) => json)).toEqual([{ ...ITEM, received: false }]);
	});

	it('does not change the stored output of the previous node', async () => {
		const execution = await waiting();
		const stored = (run: typeof execution.result) =>
			run.run.data.resultData.runData.Source?.[0]?.data?.main?.[0]?.map(({ json }) => json);
		expect(stored(execution.result)).toEqual([ITEM]);
		expect(stored(await execution.resumeByTimer())).toEqual([ITEM]);
	});

	it('continues once when the right event comes twice', async () => {
		const execution = await waiting();
		const delivery = { body: EVENT, query: sealed() };
		const [first, second] = await Promise.all([execution.post(delivery), execution.post(delivery)]);
		expect([first.status, second.status].sort()).toEqual([200, 409]);
		expect([first.items, second.items].filter((items) => items !== undefined)).toHaveLength(1);
	});

	it.each(['answers 500', 'is hung up on and fails'] as const)(
		'accepts an event that is resent because n8n %s',
		async (n8n) => {
			const execution = await waiting();
			const delivery = { body: EVENT, query: sealed() };
			await execution.post({ ...delivery, n8n });
			expect((await execution.post(delivery)).items).toHaveLength(1);
			expect((await execution.post(delivery)).status).toBe(409);
		},
	);

	it('continues once even if the sender hangs up before the answer', async () => {
		const execution = await waiting();
		const delivery = { body: EVENT, query: sealed() };
		await execution.post({ ...delivery, n8n: 'is hung up on' });
		expect(await execution.post(delivery)).toMatchObject({ status: 409, items: undefined });
	});

	it.each([
		{ clientNumber: '+7 (900) 000-00-01' },
		{ clientNumber: 79000000001 },
		{ clientNumber: '89000000001' },
		{ confirmationNumber: '+7 800 000-00-00' },
		{ confirmationNumber: 78000000000 },
	])('accepts a number that the event writes differently: %j', async (values) => {
		const execution = await waiting();
		const body = { ...EVENT, ...values };
		expect((await execution.post({ body, query: sealed() })).status).toBe(200);
	});

	it.each(['Wait for “Ann”', 'It\'s "{{ $json }}"', '}} \\', '👍'])(
		'knows its call in a node called %s',
		async (name) => {
			const execution = await waiting(wait(), ITEM, name);
			expect((await execution.post({ body: EVENT, query: sealed() })).items).toHaveLength(1);
		},
	);

	it('keeps working with a phone number that was saved when it had a field for it', async () => {
		const execution = await waiting(wait({ phone: '={{ $json.nothing }}' }));
		expect((await execution.post({ body: EVENT, query: sealed() })).items).toHaveLength(1);
	});
});

describe('a visitor who reloads the form’s page while the execution waits', () => {
	const page = async (values: INodeParameters = {}) => {
		const execution = await waiting(wait(values));
		return { execution, shown: await execution.visit() };
	};

	it('sees the page written by the workflow’s author, with the fields of the item', async () => {
		const { shown } = await page({ options: { waitingPage: '=<h1>Call, {{ $json.name }}</h1>' } });
		expect(shown).toMatchObject({ status: 200, isHanging: false });
		expect(shown.answer).toContain('<h1>Call, Ann</h1>');
	});

	it.each([
		['without the option', {}],
		['with an empty page', { options: { waitingPage: ' ' } }],
	])('is told what is going on %s', async (_what, values) => {
		expect((await page(values)).shown.answer).toContain('We are waiting for your call');
	});

	it('gets a page that asks n8n whether the execution has continued', async () => {
		expect((await page()).shown.answer).toContain('/n8n-execution-status');
	});

	it('gets a page that can neither act as the n8n user nor be cached', async () => {
		const { headers } = (await page()).shown;
		expect(headers).toMatchObject({
			'Cache-Control': 'no-store',
			'Content-Security-Policy': expect.stringMatching(/^sandbox (?!.*allow-same-origin)/),
		});
	});

	it('resumes nothing: the call is still awaited', async () => {
		const { execution, shown } = await page();
		expect(shown.items).toBeUndefined();
		expect((await execution.post({ body: EVENT, query: sealed() })).items).toHaveLength(1);
	});
});

describe('on the event of another call the execution keeps waiting and the sender gets an answer', () => {
	it.each([
		['an event of an earlier pass', { callId: '1234566' }, {}],
		['someone else’s event', { clientNumber: '79000000002' }, { phone: '79000000002' }],
		['a call to another number', { confirmationNumber: '78000000001' }, {}],
		['no called number', { confirmationNumber: undefined }, {}],
		['an empty called number', { confirmationNumber: '' }, {}],
	])('%s', async (_what, change, seal) => {
		const execution = await waiting();
		const result = await execution.post({ body: { ...EVENT, ...change }, query: sealed(seal) });
		expect(result).toMatchObject({ status: 409, items: undefined, isHanging: false });
		expect(result.answer).toEqual({ accepted: false, reason: expect.any(String) });
		expect((await execution.post({ body: EVENT, query: sealed() })).items).toHaveLength(1);
	});

	it('and n8n’s log says why, without the number or the seal', async () => {
		const execution = await WaitingExecution.start(wait(), ITEM, {
			id: 'w',
			executionId: 'logged',
		});
		const query = sealed();
		const post = async (values: object) =>
			(await execution.post({ body: { ...EVENT, ...values }, query })).log;
		const line = (why: string) => [
			`An event about an inbound call was refused (workflow “”, ID w): ${why}`,
		];
		expect(await post({ confirmationNumber: '1' })).toEqual(
			line('The execution is waiting for a call to another number'),
		);
		expect(await post({ callId: '1' })).toEqual(line('The execution is waiting for another call'));
		expect(await post({})).toEqual([]);
		expect(await post({})).toEqual(line('The execution has already continued'));
	});

	it('even when the credential is broken', async () => {
		const execution = await WaitingExecution.start(wait(), ITEM, {
			credential: credential({ baseUrl: 'nonsense' }),
		});
		const result = await execution.post({ body: EVENT, query: sealed() });
		expect(result).toMatchObject({ status: 500, items: undefined, isHanging: false });
	});
});

describe('what cannot wait is refused with advice', () => {
	it('several items', async () => {
		const { error } = await runNode({ parameters: wait(), items: [ITEM, ITEM] });
		expect(error?.message).toBe(
			'2 items were received, but an execution can wait for only one call',
		);
		expect(error?.description).toContain('sub-workflow');
	});

	it('a tool', async () => {
		const { success, run } = await runNode({
			parameters: wait(),
			items: [ITEM],
			nodeType: TOOL,
		});
		expect(success[0]?.json.error).toBe('A tool cannot wait for an inbound call');
		expect(run.data.waitTill).toBeUndefined();
	});

	it.each([
		['a call that another execution requested', { vendor_id: 1234567 }],
		['a call that nobody requested', { vendor_id: 1 }],
	])('%s', async (_what, item) => {
		const { error, run } = await runNode({ parameters: wait(), items: [item], executionId: '2' });
		expect(error?.message).toBe(
			'This execution has not requested the call, so it cannot wait for it',
		);
		expect(error?.description).toContain('“Continue This Execution”');
		expect(run.data.waitTill).toBeUndefined();
	});

	it.each([
		['no call ID', { uid: '={{ $json.nothing }}' }, 'The call ID is empty'],
		[
			'no limit',
			{ limitWaitTime: 0 },
			expect.stringMatching(/^“Wait Up To” must be more than 0 and at most \d+ minutes/),
		],
	])('%s', async (_what, values, message) => {
		const { error, run } = await runNode({ parameters: wait(values), items: [ITEM] });
		expect(error?.message).toEqual(message);
		expect(run.data.waitTill).toBeUndefined();
	});
});
