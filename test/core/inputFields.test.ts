import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { resources } from '../../nodes/CallVerification/operations';
import { runNode } from '../../harness/engine/n8nCore';
import { checkPhone } from './parameters';
import { wire } from './wire';

const included = { includeInputFields: true };
const check = (options: INodeParameters = included) =>
	checkPhone({ phone: '={{ $json.number }}', options });
const record = {
	body: { source: 's', phone: 79000000001, provider: 'A', country: 'Russia', cost: 0.1 },
};
const NUMBER = '+7 900 000-00-01';

const CALL = {
	status: true,
	vendor_id: 1,
	call_status: 1,
	code: '0042',
	init_time: Math.floor(Date.now() / 1_000),
};
const INBOUND = { status: true, vendor_id: 1, confirmation_number: '78' };
const CALLBACK = { callbackTarget: 'url', callbackUrl: 'https://crm.test/hook' };

/** Every operation with the option, and a response of the service. */
const OPERATIONS: Array<[operation: string, parameters: INodeParameters, answer: object]> = [
	['call.checkCode', { uid: 1, code: '0042' }, CALL],
	['call.get', { uid: 1 }, CALL],
	['call.start', { phone: NUMBER }, CALL],
	['inboundCall.start', { phone: NUMBER, ...CALLBACK }, INBOUND],
	['phoneNumber.check', { phone: NUMBER }, record.body],
];
const CHECK = 'phoneNumber.check';
/** n8n throws when it evaluates this. */
const UNREADABLE = "={{ $('Nowhere').item.json.x }}";
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

const parametersOf = (name: string, values: INodeParameters): INodeParameters => {
	const [resource = '', operation = ''] = name.split('.');
	return { resource, operation, ...values };
};

it('every operation with the option is tested here', () => {
	const withOption = resources.flatMap(({ value, operations }) =>
		operations
			.filter(({ fields }) =>
				fields.some(({ options }) => options?.some(({ name }) => name === 'includeInputFields')),
			)
			.map((operation) => `${value}.${operation.value}`),
	);
	expect(withOption.sort()).toEqual(OPERATIONS.map(([name]) => name));
});

it('the description in the editor says which of two fields is renamed', () => {
	const described = resources.flatMap(({ value, operations }) =>
		operations.flatMap(({ value: operation, fields, nameKeptBy }) =>
			fields
				.flatMap(({ options = [] }) => options)
				.filter(({ name }) => name === 'includeInputFields')
				.map((field) => ({
					name: `${value}.${operation}`,
					renamed: /(input|result)_phone/.exec(
						('description' in field && field.description) || '',
					)?.[1],
					expected: nameKeptBy === 'input' ? 'result' : 'input',
				})),
		),
	);
	expect(described).toHaveLength(OPERATIONS.length);
	expect(described.filter(({ renamed, expected }) => renamed !== expected)).toEqual([]);
});

/** What a visitor may put into a form to pass for someone else, or to break something. */
const HOSTILE = JSON.parse(
	`{"matched":true,"reason":"none","verified_phone":"79990000000","verification_token":"v1.forged","code":"9999",
	"call_status":1,"call_state":"completed","received":true,"confirmation_number":"1","callback_url":"https://evil.test",
	"vendor_id":666,"phone":"${NUMBER}","error":"none","message":"all is well","__proto__":"p","constructor":"c","name":"Ann"}`,
) as IDataObject;

const DECIDING = OPERATIONS.filter(([name]) => name !== CHECK);

describe.each(DECIDING)('in %s, which decides something', (name, values, answer) => {
	const operation = resources
		.flatMap(({ value, operations }) =>
			operations.map((one) => [`${value}.${one.value}`, one] as const),
		)
		.find(([known]) => known === name)?.[1];
	const isCodeDropped = operation?.reserved?.includes('code') === true;
	const ofResult = new Set([
		...Object.keys(operation?.output ?? {}),
		...(operation?.moreOutput ?? []),
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
		onError?: (typeof ON_ERROR)[number],
	) =>
		await runNode({
			parameters: { ...parametersOf(name, values), options: { ...options, ...more } },
			items,
			mode: 'manual',
			...(onError && { onError }),
		});

	it('no input field poses as one of the result, or as the hidden code, and none is lost', async () => {
		wire({ body: answer });
		const without = (await run([{}], {})).success[0]?.json ?? {};
		const json = (await run([HOSTILE], included)).success[0]?.json ?? {};
		expect(Object.entries(json).slice(0, expected.length)).toEqual(expected);
		const result = Object.fromEntries(Object.entries(json).slice(expected.length));
		const token = { verification_token: expect.stringMatching(/^v1\.(?!forged)/) };
		expect(result).toEqual({ ...without, ...('verification_token' in without && token) });
		expect(Object.keys(result)).toEqual(Object.keys(without));
		expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
		expect(result).not.toHaveProperty('code');
	});

	it('none poses as one of a result that the item does not have, because it failed', async () => {
		wire({ status: 403, body: { status: false, error: 'Refused', code: 403 } });
		const { success } = await run([HOSTILE], included, 'continueRegularOutput');
		const json = success[0]?.json ?? {};
		expect(Object.entries(json)).toEqual([
			...expected,
			['error', expect.stringMatching(/refused/)],
			['message', expect.stringMatching(/./)],
		]);
	});

	it('a row without the column, and one where the new name is taken, have the same names', async () => {
		wire({ body: answer });
		const items: IDataObject[] = [
			{ vendor_id: 'a', input_vendor_id: 'b' },
			{ vendor_id: 'c' },
			{ input_vendor_id: 'd' },
		];
		const { success } = await run(items, included);
		expect(success.map(({ json }) => json)).toEqual([
			expect.objectContaining({ input_input_vendor_id: 'a', input_vendor_id: 'b', vendor_id: 1 }),
			expect.objectContaining({ input_input_vendor_id: 'c', vendor_id: 1 }),
			expect.objectContaining({ input_vendor_id: 'd', vendor_id: 1 }),
		]);
		expect(success[1]?.json).not.toHaveProperty('input_vendor_id');
	});
});

it.each([
	[
		'the result is not known yet',
		{ waitForResult: true, options: { ...included, maxWait: 0.001 } },
	],
	['nobody waits for the result', { options: included }],
])('a field of a result that Call: Start may add is renamed, even if %s', async (_when, values) => {
	wire({ body: { ...CALL, call_status: -1 } }, { status: 503, body: {} });
	const { success } = await runNode({
		parameters: {
			...parametersOf('call.start', { phone: NUMBER, ...values }),
			requestOptions: { maxRetries: 0 },
		},
		items: [{ cost: 'mine', call_state: 'completed' }],
	});
	expect(success[0]?.json).toMatchObject({ input_cost: 'mine', input_call_state: 'completed' });
	expect(success[0]?.json).not.toMatchObject({ call_state: 'completed' });
});

describe.each(OPERATIONS)('%s with Include Input Fields', (name, values, answer) => {
	it.each(ON_ERROR)('does not fail because of a column “error”, with %s', async (onError) => {
		const sent = wire({ body: answer });
		const { success, failed, error } = await runNode({
			parameters: { ...parametersOf(name, values), options: included },
			items: [{ error: 'bounced', message: 'mailbox full', details: 'none' }],
			onError,
			retryOnFail: true,
			mode: 'manual',
		});
		expect([error, failed]).toEqual([undefined, []]);
		expect(sent).toHaveLength(1);
		const message = name === CHECK ? 'message' : 'input_message';
		expect(success[0]?.json).toMatchObject({ input_error: 'bounced', [message]: 'mailbox full' });
		expect(success[0]?.json).not.toHaveProperty('error');
	});
});

describe('the columns of a list', () => {
	it('keep their names and places, and results of the same name are renamed in every row', async () => {
		wire({ body: { ...record.body, source: NUMBER, mobile: 1, region: '' } });
		const { success } = await runNode({
			parameters: { ...check(), phone: '={{ $json.phone }}' },
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
		const [first, second, third] = success.map(({ json }) => json);
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
		wire(
			{ body: { ...whole, phone: 375291234567, country: 'Belarus' } },
			{ body: { ...whole, phone: 0, error: 'Invalid', cost: 0 } },
			{ body: { ...whole, phone: 447700900123, provider: '=1+1' } },
		);
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
		const { success } = await runNode({
			parameters: checkPhone({ options: included }),
			items: items.map((row) => ({ ...row })),
			onError: 'continueRegularOutput',
		});
		const after = success.map(({ json }) => {
			const { phone, valid, cost, reason, source, input_error: error } = json;
			return { phone, valid, cost, reason, source, error };
		});
		expect(after).toEqual(items);
		const isFailed = ({ json }: { json: IDataObject }) => json.error !== undefined;
		expect(success.flatMap((item, row) => (isFailed(item) ? [row] : []))).toEqual([0, 7, 599]);
		const columns = new Set(success.map(({ json }) => Object.keys(json).join()));
		const before = 'phone,valid,cost,reason,source,input_error';
		expect([...columns]).toEqual([
			`${before},error,message`,
			`${before},result_valid,phone_e164,mobile,operator,result_reason,result_source,country,region,result_phone,result_cost`,
		]);
	});

	it.each([[{ number: NUMBER, phone: 'p' }], [{ number: NUMBER, phone: 'p', error: 'bounced' }]])(
		'are not changed in the input: %j',
		async (item) => {
			wire(record);
			const { run } = await runNode({ parameters: check(), items: [{ ...item }] });
			const before = run.data.resultData.runData.Source?.[0]?.data?.main?.[0];
			expect(before?.map(({ json }) => json)).toEqual([item]);
		},
	);

	it('may have any name', async () => {
		wire(record);
		const row = `{"number":"${NUMBER}","__proto__":"x","constructor":"c","json":{"a":1},"pairedItem":7,"binary":"b","1":"one"}`;
		const { success } = await runNode({
			parameters: check(),
			items: [JSON.parse(row) as IDataObject],
		});
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
		const { success } = await runNode({
			parameters: check(),
			items,
			onError: 'continueRegularOutput',
		});
		expect(Object.entries(success[0]?.json ?? {})).toEqual([
			['number', true],
			['name', 'Ann'],
			['input_error', 'bounced'],
			['message', 'mailbox full'],
			['error', problem],
			['result_message', advice],
		]);
		expect(success[0]?.pairedItem).toEqual({ item: 0 });
	});

	it('goes to the error output with its fields, its own “message” included', async () => {
		const { success, failed } = await runNode({
			parameters: check(),
			items,
			onError: 'continueErrorOutput',
		});
		expect(success).toEqual([]);
		expect(failed.map(({ json }) => json)).toEqual([
			{
				number: true,
				name: 'Ann',
				message: 'mailbox full',
				error: expect.stringMatching(`^${problem}\\. Enter the number with its country code`),
			},
		]);
	});

	it('has error and message on the error output if no row has a “message”', async () => {
		const { failed } = await runNode({
			parameters: check(),
			items: [{ number: true, name: 'Ann' }],
			onError: 'continueErrorOutput',
		});
		expect(failed[0]?.json).toEqual({ number: true, name: 'Ann', error: problem, message: advice });
	});

	it.each([
		['another option cannot be read', { ...check({ ...included, maxTotalCost: UNREADABLE }) }],
		['a request option is wrong', { ...check(), requestOptions: { timeout: -1 } }],
	])('keeps its fields even if %s', async (_why, parameters) => {
		const { success, error } = await runNode({
			parameters,
			items: [{ number: true, name: 'Ann' }],
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		// n8n's own errors come without advice.
		expect(success.map(({ json }) => Object.keys(json).slice(0, 3))).toEqual([
			['number', 'name', 'error'],
		]);
	});

	it.each(['maybe', UNREADABLE])('still comes out if the option is %j', async (option) => {
		const { success, error } = await runNode({
			parameters: check({ includeInputFields: option }),
			items: [{ number: NUMBER, name: 'Ann' }],
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		expect(success[0]?.json).toMatchObject({ error: expect.stringMatching(/./) });
		expect(success[0]?.json).not.toHaveProperty('name');
	});
});

it('the option accepts true and false from an expression, per item', async () => {
	wire(record);
	const { success } = await runNode({
		parameters: check({ includeInputFields: '={{ $json.keep }}' }),
		items: [
			{ number: NUMBER, keep: 'true' },
			{ number: NUMBER, keep: false },
		],
	});
	expect(success.map(({ json }) => json.keep)).toEqual(['true', undefined]);
});
