import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { seededRandom } from '../simulatedService';
import { execute, retryNode, runNode, verifyNode, workflowOf } from '../../harness/engine/n8nCore';
import { checkPhone, TOOL } from './parameters';
import { checked, numbers, refusal, type Service, simulate } from './simulatedRun';
import { type Reply, runOn, wire } from './wire';

const CAP = 5;
const PRICED = { cost: 1 };
const UNREADABLE: Array<[string, IDataObject]> = [
	['missing', { cost: undefined }],
	['null', { cost: null }],
	['true', { cost: true }],
	['text', { cost: '1 ₽' }],
	['below zero', { cost: -1 }],
];
/** What becomes of the response to a request that the service has charged 1 for. */
const LOST = {
	'http 502': { status: 502, body: 'Bad gateway' },
	timeout: Object.assign(new Error(), { code: 'ECONNABORTED' }),
	reset: Object.assign(new Error(), { code: 'ECONNRESET' }),
	'half a response': { body: '{"source": "79' },
	'no record': { body: { status: true } },
};
type Lost = keyof typeof LOST;
type Answer = IDataObject | Lost;

const check = (
	options: INodeParameters = { maxTotalCost: CAP },
	requestOptions: INodeParameters = { concurrency: 1, maxRetries: 0 },
) => checkPhone({ options, requestOptions });

/** Charges for every request; its number, from 0, decides about the answer. */
const charging =
	(answerTo: (index: number) => Answer): Service =>
	async (request, clock) => {
		const answer = answerTo(charged++);
		await clock.sleep(80);
		if (typeof answer !== 'string') return checked(request, answer);
		const lost = LOST[answer];
		if (lost instanceof Error) throw lost;
		return lost;
	};
let charged = 0;
beforeEach(() => {
	charged = 0;
});

const list = (answerTo: (index: number) => Answer, parameters = check(), items = numbers(20)) => ({
	service: charging(answerTo),
	parameters,
	items,
	onError: 'continueRegularOutput' as const,
});
const everySecond = (answer: Answer) => (index: number) => (index % 2 === 1 ? answer : PRICED);

describe('a check whose response is lost', () => {
	it.each(Object.keys(LOST) as Lost[])('counts as the highest price so far: %s', async (lost) => {
		const { success, hints } = await simulate(list(everySecond(lost)));
		expect(charged).toBe(CAP);
		expect(success.filter(({ json }) => json.valid === true)).toHaveLength(3);
		expect(hints).toEqual([
			'3 of 20 items done, 17 failed, total cost at least 3, perhaps 5, 2 requests without a readable price',
		]);
		expect(success.at(-1)?.json).toMatchObject({
			error:
				'The checks of this run may have cost 5, so no further request was sent for this number',
		});
	});

	it('keeps counting after a retry has a response, because both may have been charged', async () => {
		const lostAt = [0, 1, 3];
		const { hints } = await simulate(
			list(
				(index) => (lostAt.includes(index) ? 'http 502' : PRICED),
				check(undefined, { concurrency: 1 }),
			),
		);
		expect(charged).toBe(CAP);
		expect(hints[0]).toMatch(
			/^2 of 20 items done, 18 failed, total cost at least 2, perhaps 5, 3 requests without a readable price, /,
		);
	});

	it.each([1, 64])('never exceeds the limit if each first response is lost: %i', async (width) => {
		const everyFirst = (index: number) => (index % 2 === 0 ? 'timeout' : PRICED);
		await simulate(list(everyFirst, check(undefined, { concurrency: width })));
		expect(charged).toBe(CAP);
	});

	it('ends nothing as long as all responses are free', async () => {
		const { success } = await simulate(
			list((index) => (index === 0 ? 'http 502' : { cost: 0 }), check(undefined, {})),
		);
		expect(success.filter(({ json }) => json.valid === true)).toHaveLength(20);
	});

	it.each([1, 64])('ends the retries at the limit, with %i in flight', async (concurrency) => {
		const { success, hints } = await simulate(
			list((index) => (index === 0 ? PRICED : 'reset'), check(undefined, { concurrency })),
		);
		expect(charged).toBe(CAP);
		expect(success.filter(({ json }) => json.valid === true)).toHaveLength(1);
		expect(hints[0]).toContain(
			'total cost at least 1, perhaps 5, 4 requests without a readable price',
		);
	});

	it('lets the run continue within what is left, whoever is in flight', async () => {
		const random = seededRandom(7);
		const most = 40;
		const { success } = await simulate(
			list(
				(index) => (index > 0 && random() < 0.3 ? 'http 502' : PRICED),
				check({ maxTotalCost: most }, { maxRetries: 0 }),
				numbers(200),
			),
		);
		expect(charged).toBe(most);
		expect(success.filter(({ json }) => json.valid === true).length).toBeGreaterThan(20);
	});

	it('does not count if it cannot have been charged', async () => {
		let asked = 0;
		const { success, hints } = await simulate({
			...list(() => PRICED),
			service: async (request, clock) => {
				await clock.sleep(80);
				if (++asked % 2 === 0) return refusal(400);
				return checked(request, PRICED);
			},
		});
		expect(success.filter(({ json }) => json.valid === true)).toHaveLength(CAP);
		expect(hints).toEqual(['5 of 20 items done, 15 failed, total cost 5']);
	});

	it('counts once for all items with the same number', async () => {
		const { hints } = await simulate(
			list(() => 'reset', check({}), [...numbers(1), ...numbers(1), ...numbers(1)]),
		);
		expect(charged).toBe(1);
		expect(hints[0]).toContain('1 request without a readable price');
	});
});

describe('a price that cannot be read', () => {
	it.each(UNREADABLE)('counts as the highest so far: %s', async (_what, price) => {
		const { success, hints } = await simulate(list(everySecond(price)));
		expect(charged).toBe(CAP);
		expect(success.filter(({ json }) => json.valid === true)).toHaveLength(CAP);
		expect(hints).toEqual([
			'5 of 20 items done, 15 failed, total cost at least 3, perhaps 5, 2 requests without a readable price',
		]);
	});

	it.each(UNREADABLE)('ends the run if there never was another: %s', async (_what, price) => {
		const { success, hints } = await simulate(list(() => price, check(undefined, {})));
		expect(charged).toBe(1);
		expect(success.slice(1).map(({ json }) => json.error)).toEqual(
			Array(19).fill('No check of this run has returned a price, so this number was not checked'),
		);
		expect(hints).toEqual([
			'“Max Total Cost” ended the run, because no response had a readable price to count. See “cost” in the output.',
			'1 of 20 items done, 19 failed, 1 request without a readable price',
		]);
	});

	it('ends the run if all others were free', async () => {
		await simulate(list((index) => ({ cost: index < 3 ? 0 : true }), check(undefined, {})));
		// Three were free, so up to four were in flight.
		expect(charged).toBeLessThanOrEqual(3 + 4);
	});

	it('is not known yet if the first response is lost: it is retried alone', async () => {
		const { success } = await simulate(
			list((index) => (index < 3 ? 'http 502' : PRICED), check(undefined, {})),
		);
		expect(charged).toBe(CAP);
		expect(success.filter(({ json }) => json.valid === true)).toHaveLength(CAP - 3);
	});

	it('ends the run if the first response is lost for good', async () => {
		const { success } = await simulate(list(() => 'http 502', check(undefined, { maxRetries: 2 })));
		expect(charged).toBe(3);
		expect(success.at(-1)?.json.error).toContain('No check of this run has returned a price');
	});

	it('stops nothing without a limit, and the report does not hide it', async () => {
		const { hints } = await simulate(list(everySecond({ cost: true }), check({})));
		expect(charged).toBe(20);
		expect(hints).toEqual([
			'20 of 20 items done, total cost at least 10, perhaps 20, 10 requests without a readable price',
		]);
	});
});

describe('what may have been charged', () => {
	const paid: Reply = { body: { source: 's', phone: 7, ...PRICED } };
	const lost: Reply = { status: 502, body: 'Bad gateway' };
	const refused: Reply = { body: { status: false, error: 'No', code: 402 } };
	const items = numbers(3);
	const limited = (maxTotalCost: number) => ({ parameters: check({ maxTotalCost }), items });
	const retried = async (maxTotalCost: number, ...replies: Reply[]) =>
		await runOn(replies, check({ maxTotalCost }), { items, retryOnFail: true });

	it('counts in the next try of Retry On Fail', async () => {
		const { sent, hints } = await retried(4, paid, lost, paid);
		expect(sent).toHaveLength(4);
		expect(hints).toEqual([
			'3 of 3 items done, 1 already paid for, total cost at least 3, perhaps 4, 1 request without a readable price',
		]);
	});

	it('ends the tries of Retry On Fail at the limit', async () => {
		const { sent, error } = await retried(3, paid, lost, paid);
		expect(sent).toHaveLength(3);
		expect(error?.message).toContain('may have cost 3');
		expect(error?.description).toContain('at a cost of at least 2, perhaps 3.');
	});

	it.each([
		[2, 2, 'may have cost 2'],
		[3, 3, 'may have cost 3'],
		[4, 4, undefined],
	])('counts in n8n’s Retry: limit %i, %i requests', async (most, requests, message) => {
		const sent = wire(paid, lost, paid);
		const failed = await runNode(limited(most));
		const { error, hints } = await retryNode(failed, limited(most));
		expect(sent).toHaveLength(requests);
		if (message === undefined) expect(hints[0]).toContain('total cost at least 3, perhaps 4');
		else expect(error?.message).toContain(message);
	});

	it('counts in n8n’s Retry even if the result is too long to keep', async () => {
		const long: Reply = { body: { ...PRICED, source: 's', region: 'x'.repeat(4_000_000) } };
		const sent = wire(long, refused, paid);
		const failed = await runNode(limited(3));
		// The first number is paid for again, and then there is money for one more.
		const { error } = await retryNode(failed, limited(3));
		expect(sent).toHaveLength(2 + 2);
		expect(error?.message).toContain('have cost 3,');
	});
});

describe('a tool', () => {
	/** A model that calls the tool for each of these numbers in one execution. */
	async function callTool(nodeType: string, maxTotalCost: number, calls: number, reply: Reply) {
		const sent = wire(reply);
		const node = { ...verifyNode(check({ maxTotalCost })), type: nodeType };
		const workflow = workflowOf([node], numbers(1));
		// Each connection runs the node once.
		const [next] = workflow.connectionsBySourceNode.Source?.main?.[0] ?? [];
		if (next !== undefined) {
			workflow.connectionsBySourceNode.Source = { main: [Array(calls).fill(next)] };
		}
		const { data } = await execute(workflow);
		const runs = data.resultData.runData.Verify ?? [];
		expect(runs).toHaveLength(calls);
		return { sent, outputs: runs.map((run) => run.data?.main?.[0]?.[0]?.json) };
	}
	const priced: Reply = { body: { source: 's', phone: 7, cost: 0.5 } };

	it('has one limit for all of its calls in an execution', async () => {
		const { sent, outputs } = await callTool(TOOL, 1, 4, priced);
		expect(sent).toHaveLength(2);
		expect(outputs[1]).toMatchObject({ valid: true });
		expect(outputs[2]?.error).toBe(
			'The checks of this run have cost 1, so this number was not checked',
		);
	});

	it('spends nothing more once a check was charged without a readable price', async () => {
		const unpriced: Reply = { body: { source: 's', phone: 7 } };
		const { sent } = await callTool(TOOL, 1, 3, unpriced);
		expect(sent).toHaveLength(1);
	});

	it('differs from a node, which has one for each pass of a loop', async () => {
		const { sent } = await callTool(verifyNode({}).type, 0.5, 3, priced);
		expect(sent).toHaveLength(3);
	});
});
