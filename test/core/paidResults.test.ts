import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { retryNode, runNode } from '../../harness/engine/n8nCore';
import { checkCode, checkPhone, CONTINUE, getCall, getNumber, startCall } from './parameters';
import { type Reply, runOn, wire } from './wire';
import { numbers, simulate } from './simulatedRun';

const check = (values: INodeParameters = {}) =>
	checkPhone({ requestOptions: { concurrency: 1 }, ...values });

const callbackUrl = (kind: string) => `https://example.test/${kind}/a/inbound-call`;

const paid: Reply = { body: { source: 's', phone: 7, cost: 0.5 } };
const outOfMoney: Reply = { body: { status: false, error: 'No money', code: 402 } };

describe('with On Error = Stop, a value that is wrong', () => {
	const GOOD = { phone: '79160000000', id: 1, text: '0042', url: callbackUrl('webhook') };
	const call = (values: INodeParameters = {}) =>
		startCall({ phone: '={{ $json.phone }}', ...values });
	const inbound = (values: INodeParameters = {}) =>
		getNumber({ phone: '={{ $json.phone }}', callbackUrl: '={{ $json.url }}', ...values });
	const forTrigger = { callbackTarget: 'trigger', options: { reference: '={{ $json.text }}' } };
	const uid = '={{ $json.id }}';

	it.each<[string, INodeParameters, IDataObject]>([
		['a check: no text', check(), { phone: true }],
		['a call: the number', call(), { phone: 'call me' }],
		['a call: the prefix', call({ options: { allowedPrefixes: '7' } }), { phone: '375290000000' }],
		['a call: the delivery', call({ delivery: 'mix' }), { phone: '77010000000' }],
		['a call: the code', call({ options: { code: '={{ $json.text }}' } }), { text: '42' }],
		['an inbound call: the number', inbound(), { phone: '1' }],
		['an inbound call: the URL', inbound(), { url: 'example' }],
		['an inbound call: a test URL', inbound(forTrigger), { url: callbackUrl('webhook-test') }],
		['an inbound call: the reference', inbound(forTrigger), { text: 'x'.repeat(501) }],
		['a look-up: the call ID', getCall({ uid }), { id: 'x' }],
		['a code: the call ID', checkCode({ uid }), { id: 'x' }],
		['a repeat: the call ID', { resource: 'call', operation: 'repeat', uid }, { id: '' }],
	])('in row 81 of %s stops the run before anything is sent', async (_what, parameters, typo) => {
		const items = Array.from({ length: 101 }, (_none, row) => ({
			...GOOD,
			...(row === 80 && typo),
		}));
		const { error, sent } = await runOn(paid, parameters, { items });
		expect(error?.context?.itemIndex).toBe(80);
		expect(error?.description).toContain(
			'Nothing was sent, because all items are validated first.',
		);
		expect(sent).toEqual([]);
	});

	it('is searched for once, with pauses in which n8n can serve others', async () => {
		const list = { parameters: checkPhone(), items: numbers(200) };
		const stopping = await simulate(list);
		const continuing = await simulate({ ...list, ...CONTINUE });
		expect(stopping.success).toHaveLength(200);
		expect(stopping.reads).toBe(continuing.reads);
		expect(stopping.longestRead).toBeLessThan(20);
	});
});

describe('n8n’s Retry of a failed execution', () => {
	const items = numbers(6);

	it('pays only for the rest of a list', async () => {
		const sent = wire(paid, paid, paid, outOfMoney, paid);
		const failed = await runNode({ parameters: check(), items });
		expect(failed.error?.description).toContain(
			'3 of 6 items had already succeeded, at a cost of 1.5. Retrying this execution does not pay for them again.',
		);
		expect(sent).toHaveLength(4);

		const { success, hints } = await retryNode(failed, { parameters: check(), items });
		expect(sent.slice(4).map(({ fields }) => ({ phone: fields.phone }))).toEqual(items.slice(3));
		expect(success.map(({ json }) => json.cost)).toEqual(Array(6).fill(0.5));
		expect(hints).toEqual(['6 of 6 items done, 3 already paid for, total cost 3']);
	});

	it('finds nothing left over once the list is done', async () => {
		const failed = await runOn([paid, outOfMoney, paid], check(), { items });
		const { run } = await retryNode(failed, { parameters: check(), items });
		expect(JSON.stringify(run.data.executionData?.contextData)).not.toContain('keptResults');
	});

	it('finds results of up to four million characters', async () => {
		const long = { body: { source: 's', phone: 7, cost: 0.5, region: 'x'.repeat(1_500_000) } };
		const sent = wire(long, long, long, outOfMoney, paid);
		const failed = await runNode({ parameters: check(), items });
		expect(failed.error?.description).toContain(
			'Retrying this execution does not pay for 2 of the 3 results again.',
		);
		await retryNode(failed, { parameters: check(), items });
		// Two of the three were kept.
		expect(sent).toHaveLength(4 + 4);
	});
});
