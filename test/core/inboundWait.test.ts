import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { EVENT, sealed, WaitingExecution } from './inbound';
import { credential, runNode } from '../../harness/engine/n8nCore';

const wait = (values: INodeParameters = {}): INodeParameters => ({
	resource: 'inboundCall',
	operation: 'wait',
	uid: '={{ $json.vendor_id }}',
	limitWaitTime: 10,
	...values,
});
const ITEM = { vendor_id: 1234567, phone: '7900*****01', name: 'Ann', nested: { deep: [1] } };

const genuine = () => ({ body: EVENT, query: sealed() });

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
		const result = await execution.post(genuine());
		expect(result).toMatchObject({ status: 200, answer: { accepted: true } });
		expect(result.items).toEqual([
			{
				...ITEM,
				...EVENT,
				reference: 'contact-42',
				issued_by: 'workflow-id',
				received: true,
				received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
			},
		]);
	});

	it('links its output to the item that waited, so later nodes can refer to earlier ones', async () => {
		const execution = await waiting();
		expect((await execution.post(genuine())).sources).toEqual([{ item: 0 }]);
	});

	it('continues even if another execution has continued with the same seal', async () => {
		const [one, other] = [await waiting(), await waiting()];
		const event = genuine();
		expect((await one.post(event)).items).toHaveLength(1);
		expect((await other.post(event)).items).toHaveLength(1);
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
			expect((await execution.post(genuine())).items).toHaveLength(1);
		},
	);

	it('keeps working with a phone number that was saved when it had a field for it', async () => {
		const execution = await waiting(wait({ phone: '={{ $json.nothing }}' }));
		expect((await execution.post(genuine())).items).toHaveLength(1);
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
			'Content-Type': 'text/html; charset=utf-8',
			'Content-Security-Policy': expect.stringMatching(/^sandbox (?!.*allow-same-origin)/),
		});
	});

	it('resumes nothing: the call is still awaited', async () => {
		const { execution, shown } = await page();
		expect(shown.items).toBeUndefined();
		expect((await execution.post(genuine())).items).toHaveLength(1);
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
		expect((await execution.post(genuine())).items).toHaveLength(1);
	});

	it('even if it no longer knows which call', async () => {
		const execution = await waiting();
		Object.assign(execution.result.run.data.executionData ?? {}, { contextData: {} });
		const result = await execution.post(genuine());
		expect(result).toMatchObject({ status: 409, items: undefined, isHanging: false });
	});

	it('and n8n’s log says why, without the number or the seal', async () => {
		const own = { id: 'w', executionId: 'logged' };
		const execution = await WaitingExecution.start(wait(), ITEM, own);
		const query = sealed();
		const post = async (values: object) =>
			(await execution.post({ body: { ...EVENT, ...values }, query })).log;
		const line = (why: string) => [
			`An event about an inbound call was rejected (workflow “”, ID w): ${why}`,
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
		const result = await execution.post(genuine());
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

	const UNKNOWN = 'This execution has not requested the call, so it cannot wait for it';
	const LIMIT = /^“Wait Up To” must be more than 0 and at most \d+ minutes/;

	it.each([
		['a call that another execution requested', {}, UNKNOWN, /“Continue This Execution”/],
		['a call that nobody requested', { uid: 1 }, UNKNOWN, /“Continue This Execution”/],
		['no call ID', { uid: '={{ $json.nothing }}' }, 'The call ID is empty', /./],
		['no limit', { limitWaitTime: 0 }, expect.stringMatching(LIMIT), /./],
	])('%s', async (_what, values, message, description) => {
		const run = { parameters: wait(values), items: [ITEM], executionId: '2' };
		const { error, run: ended } = await runNode(run);
		expect(error?.message).toEqual(message);
		expect(error?.description).toMatch(description);
		expect(ended.data.waitTill).toBeUndefined();
	});
});
