import type { IDataObject } from 'n8n-workflow';

import { checkPhone, CONTINUE, ERROR_OUTPUT } from './parameters';
import { runOn } from './wire';

const check = checkPhone({ phone: '={{ $json.number }}' });
const record = { body: { source: 'x', phone: 79000000001, cost: 0.1 } };

describe('items', () => {
	it('come out in order, each paired with its input item', async () => {
		const replies = [{ body: { source: 'first' } }, { body: { source: 'second' } }];
		const items = [{ number: '79000000001' }, { number: '79000000002' }];
		const { phones, success, outputs } = await runOn(replies, check, { items });
		expect(phones).toEqual(['79000000001', '79000000002']);
		expect(outputs.map(({ source }) => source)).toEqual(['first', 'second']);
		expect(success.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('are empty when the input is empty', async () => {
		const { success, error, sent } = await runOn(record, check, { items: [] });
		expect([success, error, sent]).toEqual([[], undefined, []]);
	});
});

describe('when an item fails', () => {
	const items: IDataObject[] = [
		{ number: '+7 900 000-00-01', row: 1 },
		{ number: true, row: 2 },
		{ number: '+7 900 000-00-03', row: 3 },
	];
	const problem = {
		error: 'Not a phone number',
		message: expect.stringContaining('Enter the number'),
	};

	it('the mode “continue” keeps its place with an error key', async () => {
		const { success, error } = await runOn(record, check, { items, ...CONTINUE });
		expect(error).toBeUndefined();
		expect(success).toMatchObject([0, 1, 2].map((item) => ({ pairedItem: { item } })));
		expect(success[1]?.json).toEqual(problem);
	});

	it('the mode “error output” sends only that item there, with its input fields', async () => {
		const { success, failures } = await runOn(record, check, { items, ...ERROR_OUTPUT });
		const good = [0, 2].map((item) => ({ pairedItem: { item }, json: { valid: true } }));
		expect(success).toMatchObject(good);
		expect(failures).toEqual([{ number: true, row: 2, ...problem }]);
	});

	it.each([CONTINUE, ERROR_OUTPUT])(
		'a credential that cannot be used fails every item, with $onError',
		async (mode) => {
			const credential = { baseUrl: 'nonsense', secretKey: 'k', serviceId: '1' };
			const run = {
				items: [{ number: '79000000001' }, { number: '79000000002' }],
				credential,
				...mode,
			};
			const { outputs, failures, sent } = await runOn(record, check, run);
			const error = '“Base URL” in the credential is not a complete URL';
			expect(mode === CONTINUE ? outputs : failures).toMatchObject([{ error }, { error }]);
			expect(sent).toEqual([]);
		},
	);
});
