import type { INodeParameters } from 'n8n-workflow';

import { Remaining } from '../../harness/engine/builtPackage';
import {
	BASE_URL,
	credential,
	execute,
	resultOf,
	type RunContext,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import { checkPhone, CONTINUE, startCall } from './parameters';
import { cancelAfter, runOn, wire } from './wire';

const check = (values: INodeParameters = {}) =>
	checkPhone({ phone: '={{ $json.number }}', ...values });
const list = (...numbers: Array<string | boolean>) => numbers.map((number) => ({ number }));
const record = (values: object = {}) => ({ body: { source: 's', phone: 7, cost: 0.5, ...values } });

describe('equal numbers', () => {
	const SAME = ['+7 900 000-00-01', '79000000001', '7 (900) 000.00.01'];

	it('are requested once, and every item gets the result with its own source', async () => {
		const { phones, outputs, hints } = await runOn(record(), check(), { items: list(...SAME) });
		expect(phones).toEqual([SAME[0]]);
		expect(outputs.map(({ source, phone, valid }) => [source, phone, valid])).toEqual([
			['s', 7, true],
			[SAME[1], 7, true],
			[SAME[2], 7, true],
		]);
		expect(hints).toEqual(['3 of 3 items done, 2 duplicate requests avoided, total cost 0.5']);
	});

	it.each([
		['the option is off', SAME, { removeDuplicates: false }],
		['they only look alike', ['89000000001', '+89000000001'], {}],
		['they are two numbers', ['+2234567', '2234568'], {}],
	])('are requested one by one when %s', async (_when, numbers, options) => {
		const { phones } = await runOn(record(), check({ options }), { items: list(...numbers) });
		expect(phones).toEqual(numbers);
	});
});

describe('the end of a run', () => {
	it('is reported in one line', async () => {
		const replies = [record(), record({ error: 'Invalid' }), record()];
		const parameters = check({ requestOptions: { concurrency: 1 } });
		const items = list('2000001', '2000002', '2000003', true);
		const { hints } = await runOn(replies, parameters, { items, ...CONTINUE });
		expect(hints).toEqual(['3 of 4 items done, 1 failed, 1 invalid, total cost 1.5']);
	});

	it('blames the lowest failed item, whichever failed first', async () => {
		const refused = { body: { status: false, error: 'No', code: 402 } };
		const parameters = check({ requestOptions: { concurrency: 4 } });
		const items = list('2000001', '2000002', '2000003', '2000004');
		const { error } = await runOn([record(), refused], parameters, { items });
		expect(error?.context?.itemIndex).toBe(1);
	});
});

describe('a limit that the service announces', () => {
	it('reaches the automatic limit with every response, in any usual spelling', async () => {
		const heard = jest.spyOn(Remaining.prototype, 'answered');
		const said = (prefix: string, remaining: number) => ({
			[`${prefix}-Limit`]: '30',
			[`${prefix}-Remaining`]: String(remaining),
			[`${prefix}-Reset`]: '1',
		});
		const replies = [
			{ status: 429, body: { status: false }, headers: said('X-Rate-Limit', 0) },
			{ status: 503, body: 'down', headers: said('RateLimit', 29) },
			{ ...record(), headers: said('X-RateLimit', 28) },
		];
		await runOn(replies, check(), { items: list('79160000001') });
		expect(heard.mock.calls.map(([, ...told]) => told)).toEqual([
			[true, { limit: 30, remaining: 0 }],
			[false, { limit: 30, remaining: 29 }],
			[false, { limit: 30, remaining: 28 }],
		]);
		heard.mockRestore();
	});
});

describe('Stop in the editor', () => {
	it('starts no further request', async () => {
		const node = verifyNode(check({ requestOptions: { concurrency: 2 } }));
		const numbers = list(...Array.from({ length: 50 }, (_, index) => String(2000000 + index)));
		const workflow = workflowOf([node], numbers);
		const execution = execute(workflow, { mode: 'manual' });
		const sent = wire(record());
		cancelAfter(5, sent, execution);
		const run = await execution;
		// Only those in flight at the stop, and none after; results are kept.
		expect(sent.length).toBeLessThanOrEqual(6);
		expect(resultOf(run).success).toHaveLength(sent.length);
	});
});

/** That it stays the same when n8n runs a node again, but not in a loop: see the repetitions. */
describe('the idempotency key of a call (§4.1.unique)', () => {
	const started = { body: { status: true, vendor_id: 1 } };
	const keyOf = async (values: INodeParameters = {}, run: Partial<RunContext> = {}) =>
		(await runOn(started, startCall(values), run)).sent[0]?.fields.unique;

	it.each<[string, INodeParameters, Partial<RunContext>?]>([
		['another execution', {}, { executionId: '2' }],
		['another number', { phone: '79000000002' }],
		['another delivery', { delivery: 'voice' }],
	])('differs for %s', async (_what, ...run) => {
		expect(await keyOf(...run)).not.toBe(await keyOf());
	});

	it('differs for another node of the workflow', async () => {
		const sent = wire(started);
		const node = (id: string) => ({ ...verifyNode(startCall()), id, name: id });
		await execute(workflowOf([node('a'), node('b')], [{}]));
		const [one, other] = sent.map(({ fields }) => fields.unique);
		expect(one).toEqual(expect.any(String));
		expect(other).not.toBe(one);
	});

	it('does not depend on the address of the service', async () => {
		const moved = { credential: credential({ baseUrl: `${BASE_URL}/v1.0/` }) };
		expect(await keyOf({}, moved)).toBe(await keyOf());
	});
});
