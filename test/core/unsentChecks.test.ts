import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../harness/engine/n8nCore';
import { checkPhone } from './parameters';
import { wire } from './wire';

const check = (values: INodeParameters = {}) =>
	checkPhone({ phone: '={{ $json.number }}', ...values });
const list = (...numbers: unknown[]) => numbers.map((number) => ({ number }) as IDataObject);
const answer = { body: { source: 's', phone: 79000000001, cost: 0.5 } };
const EMPTY = 'The phone number is empty';
const ROUNDED = 'A spreadsheet has rounded the phone number: format the column as text';
const NO_NUMBER = 'Not a phone number';

describe('a number that cannot be valid', () => {
	it.each([
		['nothing', '', '', EMPTY],
		['null', null, '', EMPTY],
		['invisible marks', '\u200b\u200e\ufeff', '\u200b\u200e\ufeff', EMPTY],
		['what a spreadsheet has rounded', '7.9E+10', '7.9E+10', ROUNDED],
		['a word', 'нет', 'нет', NO_NUMBER],
		[
			'two numbers',
			'+7 900 000-00-01, +7 900 000-00-02',
			'+7 900 000-00-01, +7 900 000-00-02',
			'Two numbers in one cell',
		],
	])('is a result that was not sent: %s', async (_what, number, source, reason) => {
		const sent = wire(answer);
		const { success, failed, error } = await runNode({
			parameters: check(),
			items: list(number),
			onError: 'continueErrorOutput',
		});
		expect(error).toBeUndefined();
		expect(failed).toEqual([]);
		expect(success.map(({ json }) => json)).toEqual([
			{
				valid: false,
				phone_e164: '',
				mobile: 0,
				operator: '',
				reason,
				source,
				country: '',
				region: '',
				phone: 0,
				cost: 0,
			},
		]);
		expect(sent).toEqual([]);
	});

	it('has every field of the contract when not simplified, with an unknown balance as null', async () => {
		const invalid = {
			source: 'x1',
			error: 'Invalid',
			mobile: 0,
			phone: 0,
			country_iso: '',
			country_code: 0,
			mnc: 0,
			number: 0,
			provider: '',
			company: '',
			country: '',
			region: '',
			city: '',
			phone_format: '',
			cost: 0,
			balance: 5,
		};
		wire({ body: invalid });
		const { success } = await runNode({
			parameters: check({ simplify: false }),
			items: list('x1', ''),
		});
		const [sent, unsent] = success.map(({ json }) => json);
		expect(unsent).toEqual({ ...sent, source: '', reason: EMPTY, balance: null });
		expect(unsent).not.toHaveProperty('error');
	});

	it('counts as invalid, never as a duplicate', async () => {
		wire(answer);
		const { success, hints } = await runNode({
			parameters: check(),
			items: list('', '1000001', '', null, '7.9E+10', '7.9E+10'),
		});
		expect(success.map(({ json }) => json.cost)).toEqual([0, 0.5, 0, 0, 0, 0]);
		expect(hints).toEqual(['6 of 6 items done, 5 invalid, total cost 0.5']);
	});

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'does not trigger “Retry On Fail”, with %s',
		async (onError) => {
			const sent = wire({ body: { ...answer.body, error: 'Invalid' } });
			const { success } = await runNode({
				parameters: check({ options: { removeDuplicates: false } }),
				items: list('', '1000001'),
				onError,
				retryOnFail: true,
			});
			expect(sent).toHaveLength(1);
			expect(success.map(({ json }) => json.valid)).toEqual([false, false]);
		},
	);

	it('is a result even when the budget is spent', async () => {
		wire(answer);
		const { success, failed } = await runNode({
			parameters: check({ options: { maxTotalCost: 0.5 }, requestOptions: { concurrency: 1 } }),
			items: list('1000001', '1000002', ''),
			onError: 'continueErrorOutput',
		});
		expect(success.map(({ json }) => json.reason)).toEqual(['ok', EMPTY]);
		expect(failed.map(({ json }) => json.number)).toEqual(['1000002']);
	});
});

describe('a number that is sent in another form than written', () => {
	it.each([
		['79000000001.0', '79000000001'],
		['\u202a+7 900\u200b 000-00-01\u202c', '+7 900 000-00-01'],
		['https://wa.me/79000000001', '+79000000001'],
	])('keeps its text as the source: %j is sent as %s', async (source, text) => {
		const sent = wire({ body: { source: text, phone: 79000000001 } });
		const { success } = await runNode({ parameters: check(), items: list(source) });
		expect(sent.map(({ fields }) => fields.phone)).toEqual([text]);
		expect(success[0]?.json).toMatchObject({ source, valid: true });
	});
});
