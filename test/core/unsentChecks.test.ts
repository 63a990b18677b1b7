import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CHECKED, checkPhone, ERROR_OUTPUT } from './parameters';
import { runOn } from './wire';

const check = (values: INodeParameters = {}) =>
	checkPhone({ phone: '={{ $json.number }}', ...values });
const list = (...numbers: unknown[]) => numbers.map((number) => ({ number }) as IDataObject);
const answer = { body: { source: 's', phone: 79000000001, cost: 0.5 } };
const EMPTY = 'empty';

describe('a number that cannot be read', () => {
	const ROUNDED = 'unreadable: rounded by a spreadsheet (format the column as text)';
	const two = '+7 900 000-00-01, +7 900 000-00-02';

	it.each([
		['nothing', '', EMPTY],
		['null', null, EMPTY],
		['invisible marks', '\u200b\u200e\ufeff', EMPTY],
		['what a spreadsheet has rounded', '7.9E+10', ROUNDED],
		['a word', 'нет', 'unreadable: no number'],
		['two numbers', two, 'unreadable: two numbers'],
		['one with a digit missing', '+7 900 000-00-0', 'unreadable: a digit is missing'],
	])('is a result that was not sent: %s', async (_what, number, reason) => {
		const run = { items: list(number), ...ERROR_OUTPUT };
		const { outputs, failures, error, sent } = await runOn(answer, check(), run);
		expect([error, failures, sent]).toEqual([undefined, [], []]);
		expect(outputs).toEqual([
			{
				valid: null,
				phone_e164: '',
				mobile: 0,
				operator: '',
				reason,
				source: number ?? '',
				country: '',
				region: '',
				phone: 0,
				cost: 0,
			},
		]);
	});

	it('has every field of the contract when not simplified, with an unknown balance as null', async () => {
		const items = list('+2000001', '');
		const parameters = check({ simplify: false });
		const [sent = {}, unsent] = (await runOn({ body: CHECKED }, parameters, { items })).outputs;
		const emptied = (value: unknown) => (typeof value === 'number' ? 0 : '');
		const empty = Object.entries(sent).map(([name, value]) => [name, emptied(value)]);
		const known = { valid: null, reason: EMPTY, balance: null };
		expect(unsent).toEqual({ ...Object.fromEntries(empty), ...known });
	});

	it('counts as unreadable, never as invalid or a duplicate', async () => {
		const items = list('', '+2000001', '', null, '7.9E+10', '7.9E+10');
		const { outputs, hints } = await runOn(answer, check(), { items });
		expect(outputs.map(({ cost }) => cost)).toEqual([0, 0.5, 0, 0, 0, 0]);
		expect(hints).toEqual(['6 of 6 items done, 5 unreadable, total cost 0.5']);
	});

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'does not trigger “Retry On Fail”, with %s',
		async (onError) => {
			const invalid = { body: { ...answer.body, error: 'Invalid' } };
			const parameters = check({ options: { removeDuplicates: false } });
			const run = { items: list('', '+2000001'), onError, retryOnFail: true };
			const { outputs, sent } = await runOn(invalid, parameters, run);
			expect(sent).toHaveLength(1);
			expect(outputs.map(({ valid }) => valid)).toEqual([null, false]);
		},
	);

	it('is a result even when the budget is spent, which others are told about', async () => {
		const parameters = check({
			options: { maxTotalCost: 0.5 },
			requestOptions: { concurrency: 1 },
		});
		const items = list('+2000001', '+2000002', '');
		const { outputs, failures } = await runOn(answer, parameters, { items, ...ERROR_OUTPUT });
		expect(outputs.map(({ reason }) => reason)).toEqual(['ok', EMPTY]);
		const error = 'The checks of this run have cost 0.5, so this number was not checked';
		expect(failures).toMatchObject([{ number: '+2000002', error }]);
	});
});

describe('a number that is sent in another form than written', () => {
	it.each([
		['79000000001.0', '79000000001'],
		['\u202a+7 900\u200b 000-00-01\u202c', '+7 900 000-00-01'],
		['https://wa.me/79000000001', '+79000000001'],
	])('keeps its text as the source: %j is sent as %s', async (source, text) => {
		const body = { source: text, phone: 79000000001 };
		const { phones, json } = await runOn({ body }, check(), { items: list(source) });
		expect(phones).toEqual([text]);
		expect(json).toMatchObject({ source, valid: true });
	});
});
