import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

import { exampleParameters } from '../../harness/workflows/nodeRunner';
import { operations } from '../../scripts/generate/rows';
import { ANSWERS, checkPhone, CONTINUE, ERROR_OUTPUT, startCall, UID } from './parameters';
import { type Reply, runOn } from './wire';

const included = { includeInputFields: true };
const check = (options: INodeParameters = included) =>
	checkPhone({ phone: '={{ $json.number }}', options });
const record = {
	body: { source: 's', phone: 79000000001, provider: 'A', country: 'Russia', cost: 0.1 },
};
const NUMBER = '+7 900 000-00-01';

/** Every operation with the option, and a response of the service. */
const optionOf = (fields: readonly INodeProperties[]) =>
	fields
		.flatMap(({ options = [] }) => options as INodeProperties[])
		.find((option) => option.name === 'includeInputFields');
const OPERATIONS = operations
	.filter(({ operation }) => optionOf(operation.fields))
	.map(({ name, operation }) => ({ name, operation, answer: ANSWERS[name] ?? {} }));
const CHECK = 'phoneNumber.check';
/** n8n throws when it evaluates this. */
const UNREADABLE = "={{ $('Nowhere').item.json.x }}";
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

it.each(OPERATIONS)(
	'the description in the editor says which of two fields is renamed: $name',
	({ operation: { fields, nameKeptBy } }) => {
		const renamed = nameKeptBy === 'input' ? 'result' : 'input';
		expect(optionOf(fields)?.description).toContain(`${renamed}_phone`);
	},
);

/** What a visitor may put into a form to pass for someone else, or to break something. */
const HOSTILE = JSON.parse(
	`{"matched":true,"reason":"none","verified_phone":"79990000000","verification_token":"v1.forged","code":"9999",
	"call_status":1,"call_state":"completed","received":true,"confirmation_number":"1","callback_url":"https://evil.test",
	"vendor_id":666,"phone":"${NUMBER}","error":"none","message":"all is well","__proto__":"p","constructor":"c","name":"Ann"}`,
) as IDataObject;

const DECIDING = OPERATIONS.filter(({ name }) => name !== CHECK);

describe.each(DECIDING)('in $name, which decides something', ({ name, operation, answer }) => {
	const isCodeDropped = operation.reserved?.includes('code') === true;
	const ofResult = new Set([
		...Object.keys(operation.output),
		...(operation.moreOutput ?? []),
		'error',
		'message',
	]);
	/** The hostile fields under the names they must come out with. */
	const expected = Object.entries(HOSTILE)
		.filter(([field]) => !isCodeDropped || field !== 'code')
		.map(([field, value]) => [ofResult.has(field) ? `input_${field}` : field, value]);
	const options = name === 'call.start' || name === 'call.get' ? { hideCode: true } : {};
	const run = async (
		items: IDataObject[],
		more: INodeParameters,
		reply: Reply = { body: answer },
	) =>
		await runOn(
			reply,
			{ ...exampleParameters(name, UID), options: { ...options, ...more } },
			{ items, mode: 'manual', ...CONTINUE },
		);

	it('no input field poses as one of the result, or as the hidden code, and none is lost', async () => {
		const { json: without } = await run([{}], {});
		const { json } = await run([HOSTILE], included);
		expect(Object.entries(json).slice(0, expected.length)).toEqual(expected);
		const result = Object.fromEntries(Object.entries(json).slice(expected.length));
		const ownCall = {
			verification_token: expect.stringMatching(/^v1\.(?!forged)/),
			called_at: expect.stringMatching(/Z$/),
		};
		expect(result).toEqual({ ...without, ...('verification_token' in without && ownCall) });
		expect(Object.keys(result)).toEqual(Object.keys(without));
		expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
		expect(result).not.toHaveProperty('code');
		expect(result).not.toHaveProperty('error');
	});

	it('none poses as one of a result that the item does not have, because it failed', async () => {
		const refused = { status: 403, body: { status: false, error: 'Refused', code: 403 } };
		const { json } = await run([HOSTILE], included, refused);
		expect(Object.entries(json)).toEqual([
			...expected,
			['error', expect.stringMatching(/refused/)],
			['message', expect.stringMatching(/./)],
		]);
	});

	it('a row without the column, and one where the new name is taken, have the same names', async () => {
		const items: IDataObject[] = [
			{ vendor_id: 'a', input_vendor_id: 'b' },
			{ vendor_id: 'c' },
			{ input_vendor_id: 'd' },
		];
		const { outputs } = await run(items, included);
		expect(outputs).toMatchObject([
			{ input_input_vendor_id: 'a', input_vendor_id: 'b', vendor_id: UID },
			{ input_input_vendor_id: 'c', vendor_id: UID },
			{ input_vendor_id: 'd', vendor_id: UID },
		]);
		expect(outputs[1]).not.toHaveProperty('input_vendor_id');
	});
});

it.each([
	[
		'the result is not known yet',
		{ waitForResult: true, options: { ...included, maxWait: 0.001 } },
	],
	['nobody waits for the result', { options: included }],
])('a field of a result that Call: Start may add is renamed, even if %s', async (_when, values) => {
	const parameters = { ...startCall(values), requestOptions: { maxRetries: 0 } };
	const items = [{ cost: 'mine', call_state: 'completed' }];
	const replies = [{ body: ANSWERS['call.start'] }, { status: 503, body: {} }];
	const { json } = await runOn(replies, parameters, { items });
	expect(json).toMatchObject({ input_cost: 'mine', input_call_state: 'completed' });
	expect(json).not.toMatchObject({ call_state: 'completed' });
});

describe.each(OPERATIONS)('$name with Include Input Fields', ({ name, answer }) => {
	it.each(ON_ERROR)('does not fail because of a column “error”, with %s', async (onError) => {
		const { json, failures, error, sent } = await runOn(
			{ body: answer },
			{ ...exampleParameters(name, UID), options: included },
			{
				items: [{ error: 'bounced', message: 'mailbox full', details: 'none' }],
				onError,
				retryOnFail: true,
				mode: 'manual',
			},
		);
		expect([error, failures]).toEqual([undefined, []]);
		expect(sent).toHaveLength(1);
		const message = name === CHECK ? 'message' : 'input_message';
		expect(json).toMatchObject({ input_error: 'bounced', [message]: 'mailbox full' });
		expect(json).not.toHaveProperty('error');
	});
});

describe('the columns of a list', () => {
	it('keep their names and places, and results of the same name are renamed in every row', async () => {
		const body = { ...record.body, source: NUMBER, mobile: 1, region: '' };
		const { outputs } = await runOn({ body }, checkPhone({ options: included }), {
			items: [
				{ source: 'Facebook', phone: NUMBER, country: '?', name: 'Ann' },
				{ phone: '', country: '', result_phone: 'old' },
				{ name: 'Bob' },
			],
		});
		const ofResult = [
			'valid',
			'phone_e164',
			'mobile',
			'operator',
			'reason',
			'result_source',
			'result_country',
			'region',
			'result_result_phone',
			'cost',
		];
		const [first, second, third] = outputs;
		expect(Object.keys(first ?? {})).toEqual(['source', 'phone', 'country', 'name', ...ofResult]);
		expect(first).toMatchObject({
			source: 'Facebook',
			phone: NUMBER,
			country: '?',
			result_source: NUMBER,
			result_country: 'Russia',
			result_result_phone: 79000000001,
		});
		expect(second).toMatchObject({
			phone: '',
			country: '',
			result_phone: 'old',
			result_source: '',
		});
		expect(Object.keys(second ?? {})).toEqual(['phone', 'country', 'result_phone', ...ofResult]);
		expect(Object.keys(third ?? {})).toEqual(['name', ...ofResult]);
	});

	it('are the same before and after, in 600 messy rows', async () => {
		const whole = { ...record.body, mobile: 1, region: '' };
		const replies = [
			{ body: { ...whole, phone: 375291234567, country: 'Belarus' } },
			{ body: { ...whole, phone: 0, error: 'Invalid', cost: 0 } },
			{ body: { ...whole, phone: 447700900123, provider: '=1+1' } },
		];
		const texts = ['', '0', 'TRUE', ' +375 29 123-45-67', '3.75298E+11', '=1+1', 'нет', '"x"'];
		const cells = [...texts, null, 0, false, 7.5];
		const items = Array.from({ length: 600 }, (_none, row): IDataObject => {
			const cell = (column: number) => cells[(row * 7 + column * 5) % cells.length] ?? null;
			return {
				phone: `+3752${String(row % 50).padStart(8, '0')}${row % 3 === 0 ? ' ' : ''}`,
				valid: cell(1),
				cost: cell(2),
				reason: cell(3),
				source: cell(4),
				error: cell(5),
			};
		});
		// What can only fail, and what is never sent.
		for (const row of [0, 7, 599]) items[row] = { ...items[row], phone: true };
		for (const row of [1, 500]) items[row] = { ...items[row], phone: '' };
		const { outputs } = await runOn(replies, checkPhone({ options: included }), {
			items: items.map((row) => ({ ...row })),
			...CONTINUE,
		});
		const after = outputs.map(({ phone, valid, cost, reason, source, input_error: error }) => {
			return { phone, valid, cost, reason, source, error };
		});
		expect(after).toEqual(items);
		const failed = outputs.flatMap(({ error }, row) => (error === undefined ? [] : [row]));
		expect(failed).toEqual([0, 7, 599]);
		const columns = new Set(outputs.map((json) => Object.keys(json).join()));
		const before = 'phone,valid,cost,reason,source,input_error';
		expect([...columns]).toEqual([
			`${before},error,message`,
			`${before},result_valid,phone_e164,mobile,operator,result_reason,result_source,country,region,result_phone,result_cost`,
		]);
	});

	it.each([[{ number: NUMBER, phone: 'p' }], [{ number: NUMBER, phone: 'p', error: 'bounced' }]])(
		'are not changed in the input: %j',
		async (item) => {
			const { run } = await runOn(record, check(), { items: [{ ...item }] });
			const before = run.data.resultData.runData.Source?.[0]?.data?.main?.[0];
			expect(before?.map(({ json }) => json)).toEqual([item]);
		},
	);

	it('may have any name', async () => {
		const row = `{"number":"${NUMBER}","__proto__":"x","constructor":"c","json":{"a":1},"pairedItem":7,"binary":"b","1":"one"}`;
		const items = [JSON.parse(row) as IDataObject];
		const { success } = await runOn(record, check(), { items });
		const { json, pairedItem } = success[0] ?? {};
		expect(Object.entries(json ?? {})).toEqual(
			expect.arrayContaining(Object.entries(JSON.parse(row) as object)),
		);
		expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
		expect(json?.valid).toBe(true);
		expect(pairedItem).toEqual({ item: 0 });
	});
});

describe('an item that fails with Include Input Fields', () => {
	const items = [{ number: true, name: 'Ann', error: 'bounced', message: 'mailbox full' }];
	const problem = 'Not a phone number';
	const advice = expect.stringMatching(/^Enter the number with its country code/);

	it('keeps its fields beside the error when n8n continues', async () => {
		const { json, success } = await runOn([], check(), { items, ...CONTINUE });
		expect(Object.entries(json)).toEqual([
			['number', true],
			['name', 'Ann'],
			['input_error', 'bounced'],
			['message', 'mailbox full'],
			['error', problem],
			['result_message', advice],
		]);
		expect(success[0]?.pairedItem).toEqual({ item: 0 });
	});

	it.each([
		[
			'goes to the error output with its fields, its own “message” included',
			items,
			{
				message: 'mailbox full',
				error: expect.stringMatching(`^${problem}\\. Enter the number with its country code`),
			},
		],
		[
			'has error and message on the error output if no row has a “message”',
			[{ number: true, name: 'Ann' }],
			{ error: problem, message: advice },
		],
	])('%s', async (_what, rows, expected) => {
		const { outputs, failures } = await runOn([], check(), { items: rows, ...ERROR_OUTPUT });
		expect(outputs).toEqual([]);
		expect(failures).toEqual([{ number: true, name: 'Ann', ...expected }]);
	});

	it.each([
		['another option cannot be read', { ...check({ ...included, maxTotalCost: UNREADABLE }) }],
		['a request option is wrong', { ...check(), requestOptions: { timeout: -1 } }],
	])('keeps its fields even if %s', async (_why, parameters) => {
		const wrong = [{ number: true, name: 'Ann' }];
		const { outputs, error } = await runOn([], parameters, { items: wrong, ...CONTINUE });
		expect(error).toBeUndefined();
		// n8n's own errors come without advice.
		expect(outputs.map((json) => Object.keys(json).slice(0, 3))).toEqual([
			['number', 'name', 'error'],
		]);
	});

	it.each(['maybe', UNREADABLE])('still comes out if the option is %j', async (option) => {
		const run = { items: [{ number: NUMBER, name: 'Ann' }], ...CONTINUE };
		const { json, error } = await runOn([], check({ includeInputFields: option }), run);
		expect(error).toBeUndefined();
		expect(json).toMatchObject({ error: expect.stringMatching(/./) });
		expect(json).not.toHaveProperty('name');
	});
});

it('the option accepts true and false from an expression, per item', async () => {
	const items = ['true', false].map((keep) => ({ number: NUMBER, keep }));
	const parameters = check({ includeInputFields: '={{ $json.keep }}' });
	const { outputs } = await runOn(record, parameters, { items });
	expect(outputs.map(({ keep }) => keep)).toEqual(['true', undefined]);
});
