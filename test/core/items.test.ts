import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../harness/engine/n8nCore';
import { checkPhone } from './parameters';
import { wire } from './wire';

const check = checkPhone({ phone: '={{ $json.number }}' });
const items: IDataObject[] = [
	{ number: '+7 900 000-00-01', row: 1 },
	{ number: true, row: 2 },
	{ number: '+7 900 000-00-03', row: 3 },
];
const record = { body: { source: 'x', phone: 79000000001, cost: 0.1 } };

describe('items', () => {
	it('come out in order, each paired with its input item', async () => {
		const sent = wire({ body: { source: 'first' } }, { body: { source: 'second' } });
		const { success } = await runNode({
			parameters: check,
			items: [{ number: '1234567' }, { number: '7654321' }],
		});
		expect(sent.map(({ fields }) => fields.phone)).toEqual(['1234567', '7654321']);
		expect(success.map(({ json }) => json.source)).toEqual(['first', 'second']);
		expect(success.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('are empty when the input is empty', async () => {
		const sent = wire(record);
		const { success, error } = await runNode({ parameters: check, items: [] });
		expect(success).toEqual([]);
		expect(error).toBeUndefined();
		expect(sent).toEqual([]);
	});
});

describe('when an item fails', () => {
	it('the mode “stop” ends the execution with the index of the item, before anything is sent', async () => {
		const sent = wire(record);
		const { error, success } = await runNode({ parameters: check, items });
		expect(error?.message).toBe('Not a phone number');
		expect(error?.context?.itemIndex).toBe(1);
		expect(success).toEqual([]);
		expect(sent).toEqual([]);
	});

	it('the mode “continue” keeps its place with an error key', async () => {
		wire(record);
		const { success, error } = await runNode({
			parameters: check,
			items,
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		expect(success).toHaveLength(3);
		expect(success[1]?.json).toEqual({
			error: 'Not a phone number',
			message: expect.stringContaining('Enter the number'),
		});
		expect(success.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});

	it('the mode “error output” sends only that item there, with its input fields', async () => {
		wire(record);
		const { success, failed } = await runNode({
			parameters: check,
			items,
			onError: 'continueErrorOutput',
		});
		expect(success.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(success.every(({ json }) => json.valid === true)).toBe(true);
		expect(failed.map(({ json }) => json)).toEqual([
			{
				number: true,
				row: 2,
				error: 'Not a phone number',
				message: expect.stringContaining('Enter the number'),
			},
		]);
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'a credential that cannot be used fails every item, with %s',
		async (onError) => {
			const sent = wire(record);
			const { success, failed } = await runNode({
				parameters: check,
				items: [{ number: '1' }, { number: '2' }],
				credential: { baseUrl: 'nonsense', secretKey: 'k', serviceId: '1' },
				onError,
			});
			const out = onError === 'continueErrorOutput' ? failed : success;
			expect(out.map(({ json }) => json.error)).toEqual([
				'“Base URL” in the credential is not a complete URL',
				'“Base URL” in the credential is not a complete URL',
			]);
			expect(sent).toEqual([]);
		},
	);
});

describe('an invalid number', () => {
	const invalid = { body: { source: 'x', error: 'Invalid phone number', cost: 0 } };

	it('is a result on the success output, with the service’s words as the reason (§4.5, §7.4)', async () => {
		wire(invalid);
		const { success, failed } = await runNode({
			parameters: check,
			items: [{ number: '12' }],
			onError: 'continueErrorOutput',
		});
		expect(failed).toEqual([]);
		expect(success[0]?.json).toMatchObject({ valid: false, reason: 'Invalid phone number' });
		expect(success[0]?.json).not.toHaveProperty('error');
	});
});
