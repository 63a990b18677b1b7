import type { INodeParameters } from 'n8n-workflow';

import { retryNode, runNode } from '../../harness/engine/n8nCore';
import { checkPhone, getNumber, startCall } from './parameters';
import { type Reply, wire } from './wire';
import { checked, numbers, replying, simulate } from './simulatedRun';

const check = (values: INodeParameters = {}) =>
	checkPhone({ requestOptions: { concurrency: 1 }, ...values });

const paid: Reply = { body: { source: 's', phone: 7, cost: 0.5 } };
const outOfMoney: Reply = { body: { status: false, error: 'No money', code: 402 } };

describe('with On Error = Stop, a value that is wrong', () => {
	const EACH = { phone: '={{ $json.phone }}' };
	const call = (values: INodeParameters) => startCall({ ...EACH, ...values });
	const inbound = (values: INodeParameters) => getNumber({ ...EACH, ...values });
	const byId = (operation: string, values: INodeParameters = {}): INodeParameters => ({
		resource: 'call',
		operation,
		uid: '={{ $json.id }}',
		...values,
	});
	const withTypo = (good: object, bad: object) =>
		Array.from({ length: 101 }, (_none, index) => ({ ...(index === 80 ? bad : good) }));

	it.each<[string, INodeParameters, object, object]>([
		['a check: no text', check(), { phone: '79160000000' }, { phone: true }],
		['a call: the number', call({}), { phone: '79160000000' }, { phone: 'call me' }],
		[
			'a call: the prefix',
			call({ options: { allowedPrefixes: '7' } }),
			{ phone: '79160000000' },
			{ phone: '375290000000' },
		],
		[
			'a call: the delivery',
			call({ delivery: 'mix' }),
			{ phone: '79160000000' },
			{ phone: '77010000000' },
		],
		[
			'a call: the code',
			call({ options: { code: '={{ $json.code }}' } }),
			{ phone: '79160000000', code: '0042' },
			{ phone: '79160000000', code: '42' },
		],
		['an inbound call: the number', inbound({}), { phone: '79160000000' }, { phone: '1' }],
		[
			'an inbound call: the URL',
			inbound({ callbackUrl: '={{ $json.url }}' }),
			{ phone: '79160000000', url: 'https://example.test/' },
			{ phone: '79160000000', url: 'example' },
		],
		[
			'an inbound call: a test URL',
			inbound({ callbackTarget: 'trigger', callbackUrl: '={{ $json.url }}' }),
			{ phone: '79160000000', url: 'https://example.test/webhook/a/inbound-call' },
			{ phone: '79160000000', url: 'https://example.test/webhook-test/a/inbound-call' },
		],
		[
			'an inbound call: the reference',
			inbound({
				callbackTarget: 'trigger',
				callbackUrl: 'https://example.test/webhook/a/inbound-call',
				options: { reference: '={{ $json.reference }}' },
			}),
			{ phone: '79160000000', reference: 'x' },
			{ phone: '79160000000', reference: 'x'.repeat(501) },
		],
		['a look-up: the call ID', byId('get', { waitForResult: false }), { id: 1 }, { id: 'x' }],
		['a code: the call ID', byId('checkCode', { code: '0042' }), { id: 1 }, { id: 'x' }],
		['a repeat: the call ID', byId('repeat'), { id: 1 }, { id: '' }],
	])(
		'in row 81 of %s stops the run before anything is sent',
		async (_what, parameters, ...rows) => {
			const sent = wire(paid);
			const { error } = await runNode({ parameters, items: withTypo(...rows) });
			expect(error?.context?.itemIndex).toBe(80);
			expect(error?.description).toContain(
				'Nothing was sent, because all items are validated first.',
			);
			expect(sent).toEqual([]);
		},
	);

	it('is searched for once, with pauses in which n8n can serve others', async () => {
		const list = {
			service: replying((request) => checked(request)),
			parameters: check({ requestOptions: {} }),
			items: numbers(200),
		};
		const stopping = await simulate(list);
		const continuing = await simulate({ ...list, onError: 'continueRegularOutput' });
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
		expect(sent.slice(4).map(({ fields }) => fields.phone)).toEqual(
			items.slice(3).map(({ phone }) => phone),
		);
		expect(success).toHaveLength(6);
		expect(success.map(({ json }) => json.cost)).toEqual(Array(6).fill(0.5));
		expect(hints).toEqual(['6 of 6 items done, 3 already paid for, total cost 3']);
	});

	it('finds nothing left over once the list is done', async () => {
		wire(paid, outOfMoney, paid);
		const failed = await runNode({ parameters: check(), items });
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
