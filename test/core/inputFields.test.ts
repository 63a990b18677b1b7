import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { resources } from '../../nodes/CallVerification/operations';
import { runNode } from '../../harness/engine/n8nCore';
import { wire } from './wire';

const included = { includeInputFields: true };
const check = (options: INodeParameters = included): INodeParameters => ({
	resource: 'phoneNumber',
	operation: 'check',
	phone: '={{ $json.number }}',
	simplify: true,
	options,
});
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
const CALLBACK = { callbackTarget: 'url', callbackUrl: 'https://crm.test/hook' };

/** Every operation with the option, and a response of the service. */
const OPERATIONS: Array<[operation: string, parameters: INodeParameters, answer: object]> = [
	['call.checkCode', { uid: 1, code: '0042' }, CALL],
	['call.get', { uid: 1 }, CALL],
	['call.start', { phone: NUMBER }, CALL],
	['inboundCall.start', { phone: NUMBER, ...CALLBACK }, { ...CALL, confirmation_number: '78' }],
	['phoneNumber.check', { phone: NUMBER }, record.body],
];
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
	expect(withOption).toEqual(OPERATIONS.map(([name]) => name));
});

it.each([
	['call.start', { phone: NUMBER, options: { ...included, hideCode: true } }],
	['call.get', { uid: 1, options: { ...included, hideCode: true } }],
	['call.checkCode', { uid: 1, code: '0042', options: included }],
])('no input field can pose as a hidden or a result field of %s', async (name, values) => {
	wire({ body: CALL });
	const forged = { code: '9999', matched: 'yes', reason: 'none', verified_phone: '79990000000' };
	const { success } = await runNode({
		parameters: parametersOf(name, values),
		items: [{ ...forged, name: 'Ann' }],
		mode: 'manual',
	});
	expect(success[0]?.json).toHaveProperty('name', 'Ann');
	expect(success[0]?.json).not.toHaveProperty('code');
	if (name === 'call.checkCode') {
		expect(success[0]?.json).toMatchObject({ matched: true, reason: null, verified_phone: null });
	}
});

describe.each(OPERATIONS)('%s with Include Input Fields', (name, values, answer) => {
	it('returns the fields of the item, then those of the result', async () => {
		wire({ body: answer });
		const parameters = parametersOf(name, values);
		const items = [{ name: 'Ann', e_mail: 'ann@example.com' }];
		// A manual run, in which a code can be checked repeatedly.
		const run = async (values: INodeParameters) =>
			(await runNode({ parameters: values, items, mode: 'manual' })).success[0];
		const without = await run(parameters);
		const item = await run({ ...parameters, options: included });
		// Each token is different, even for the same call.
		const result = Object.entries(without?.json ?? {}).map(([field, value]) =>
			field === 'verification_token' ? [field, expect.stringMatching(/^v1\./)] : [field, value],
		);
		expect(Object.entries(item?.json ?? {})).toEqual([
			['name', 'Ann'],
			['e_mail', 'ann@example.com'],
			...result,
		]);
		expect(without?.json).not.toHaveProperty('name');
	});

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
		expect(success[0]?.json).toMatchObject({ input_error: 'bounced', message: 'mailbox full' });
		expect(success[0]?.json).not.toHaveProperty('error');
	});

	it('leaves them out for an AI tool', async () => {
		wire({ body: answer });
		const { success } = await runNode({
			parameters: { ...parametersOf(name, values), options: included },
			items: [{ name: 'Ann' }],
			nodeType: 'n8n-nodes-call-verification.callVerificationTool',
		});
		expect(success[0]?.json).not.toHaveProperty('name');
	});
});

describe('the columns of a list', () => {
	it('keep their order in every row, even a blank or duplicate one', async () => {
		wire(record);
		const items = [
			{ name: 'Ann', number: NUMBER, city: 'Omsk' },
			{ name: '', number: '', city: '' },
			{ name: 'Bob', number: '79000000001', city: '' },
		];
		const { success } = await runNode({ parameters: check(), items });
		expect(success.map(({ json: { name, number, city } }) => ({ name, number, city }))).toEqual(
			items,
		);
		for (const { json } of success) {
			expect(Object.keys(json).slice(0, 5)).toEqual(['name', 'number', 'city', 'source', 'valid']);
		}
		expect(success.map(({ json }) => json.valid)).toEqual([true, false, true]);
	});

	it('give way to result fields in place, and “source” is the number as written', async () => {
		wire({ body: { ...record.body, source: NUMBER } });
		const { success } = await runNode({
			parameters: { ...check(), phone: '={{ $json.phone }}' },
			items: [{ source: 'Facebook', phone: NUMBER, country: '?', name: 'Ann' }],
		});
		const json = success[0]?.json ?? {};
		expect(json).toMatchObject({ source: NUMBER, phone: 79000000001, country: 'Russia' });
		expect(Object.keys(json).slice(0, 5)).toEqual(['source', 'phone', 'country', 'name', 'valid']);
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

	it('keep “error” apart from a column that has its new name', async () => {
		wire(record);
		const { success } = await runNode({
			parameters: check(),
			items: [{ number: NUMBER, error: 'a', input_error: 'b' }],
		});
		expect(success[0]?.json).toMatchObject({ input_error: 'b', input_input_error: 'a' });
	});
});

describe('an item that fails with Include Input Fields', () => {
	const items = [{ number: true, name: 'Ann', error: 'bounced' }];

	it('contains only the error when n8n continues', async () => {
		const { success } = await runNode({
			parameters: check(),
			items,
			onError: 'continueRegularOutput',
		});
		expect(Object.keys(success[0]?.json ?? {})).toEqual(['error', 'message']);
	});

	it('is sent to the error output with its fields by n8n itself', async () => {
		const { success, failed } = await runNode({
			parameters: check(),
			items,
			onError: 'continueErrorOutput',
		});
		expect(success).toEqual([]);
		expect(failed[0]?.json).toMatchObject({
			name: 'Ann',
			error: 'The phone number is neither text nor a whole number',
		});
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
