import type { INodeParameters } from 'n8n-workflow';

import nock from 'nock';

import { Remaining } from '../../harness/engine/builtPackage';
import {
	BASE_URL,
	credential,
	execute,
	resultOf,
	runNode,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import { checkPhone, startCall } from './parameters';
import { cancelAfter, wire } from './wire';

const check = (values: INodeParameters = {}) =>
	checkPhone({ phone: '={{ $json.number }}', ...values });
const list = (...numbers: Array<string | boolean>) => numbers.map((number) => ({ number }));
const record = (values: object = {}) => ({ body: { source: 's', phone: 7, cost: 0.5, ...values } });
const askedFor = (sent: Array<{ fields: Record<string, unknown> }>) =>
	sent.map(({ fields }) => fields.phone);

describe('equal numbers', () => {
	const SAME = ['+7 900 000-00-01', '79000000001', '7 (900) 000.00.01'];

	it('are requested once, and every item gets the result with its own source', async () => {
		const sent = wire(record());
		const { success, hints } = await runNode({ parameters: check(), items: list(...SAME) });
		expect(askedFor(sent)).toEqual([SAME[0]]);
		expect(success.map(({ json }) => [json.source, json.phone, json.valid])).toEqual([
			['s', 7, true],
			[SAME[1], 7, true],
			[SAME[2], 7, true],
		]);
		expect(hints).toEqual(['3 of 3 items done, 2 duplicate requests avoided, total cost 0.5']);
	});

	it('are requested one by one when the option is off', async () => {
		const sent = wire(record());
		await runNode({
			parameters: check({ options: { removeDuplicates: false } }),
			items: list(...SAME),
		});
		expect(askedFor(sent)).toEqual(SAME);
	});

	it.each([
		['89000000001', '+89000000001'],
		['0049151', '+0049151'],
		['call 7', 'Call 7'],
		['12345', '12346'],
	])('are not %s and %s', async (one, other) => {
		const sent = wire(record());
		await runNode({ parameters: check(), items: list(one, other) });
		expect(sent).toHaveLength(2);
	});
});

describe('the cost limit', () => {
	const numbers = list('1000001', '1000002', '1000003', '1000004', '1000005');

	it('starts no further request once the sum has reached it', async () => {
		const sent = wire(record());
		const { success, failed } = await runNode({
			parameters: check({ options: { maxTotalCost: 1 } }),
			items: numbers,
			onError: 'continueErrorOutput',
		});
		expect(sent).toHaveLength(2);
		expect(success).toHaveLength(2);
		expect(failed.map(({ json }) => json.number)).toEqual(['1000003', '1000004', '1000005']);
		expect(failed[0]?.json.error).toBe(
			'The checks of this run have cost 1, so this number was not checked',
		);
	});
});

describe('the end of a run', () => {
	it('is reported in one line', async () => {
		wire(record(), record({ error: 'Invalid' }), record());
		const { hints } = await runNode({
			parameters: check({ requestOptions: { concurrency: 1 } }),
			items: list('1000001', '1000002', '1000003', true),
			onError: 'continueRegularOutput',
		});
		expect(hints).toEqual(['3 of 4 items done, 1 failed, 1 invalid, total cost 1.5']);
	});

	it('blames the lowest failed item, whichever failed first', async () => {
		const refused = { body: { status: false, error: 'No', code: 402 } };
		wire(record(), refused, refused, refused);
		const { error } = await runNode({
			parameters: check({ requestOptions: { concurrency: 4 } }),
			items: list('1000001', '1000002', '1000003', '1000004'),
		});
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
		wire(
			{ status: 429, body: { status: false }, headers: said('X-Rate-Limit', 0) },
			{ status: 503, body: 'down', headers: said('RateLimit', 29) },
			{ ...record(), headers: said('X-RateLimit', 28) },
		);
		await runNode({ parameters: check(), items: list('79160000001') });
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
		const numbers = list(...Array.from({ length: 50 }, (_, index) => String(1000000 + index)));
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

describe('the idempotency key of a call', () => {
	const start = startCall;
	const started = { body: { status: true, vendor_id: 1 } };
	const keyOf = async (run: () => Promise<unknown>): Promise<unknown> => {
		nock.cleanAll();
		const sent = wire(started);
		await run();
		return sent[0]?.fields.unique;
	};

	it.each([
		['another execution', { parameters: start(), executionId: '2' }],
		['another number', { parameters: start({ phone: '79000000002' }) }],
		['another delivery', { parameters: start({ delivery: 'voice' }) }],
	])('differs for %s', async (_what, run) => {
		const key = await keyOf(async () => await runNode({ parameters: start() }));
		expect(await keyOf(async () => await runNode(run))).not.toBe(key);
	});

	it('differs for another node of the workflow, and in the next pass of a loop', async () => {
		const sent = wire(started);
		const nodes = ['a', 'b'].map((id) => ({ ...verifyNode(start()), id, name: `Verify ${id}` }));
		const workflow = workflowOf(nodes, [{}]);
		// A connection back to the first node: its second run is the loop's second pass.
		workflow.connectionsBySourceNode['Verify b'] = {
			main: [[{ node: 'Verify a', type: 'main', index: 0 }]],
		};
		const execution = execute(workflow);
		cancelAfter(4, sent, execution);
		await execution;
		const keys = sent.slice(0, 4).map(({ fields }) => fields.unique);
		expect(new Set(keys).size).toBe(4);
	});

	it('does not depend on the address of the service', async () => {
		const key = await keyOf(async () => await runNode({ parameters: start() }));
		const moved = credential({ baseUrl: `${BASE_URL}/v1.0/` });
		expect(await keyOf(async () => await runNode({ parameters: start(), credential: moved }))).toBe(
			key,
		);
	});
});
