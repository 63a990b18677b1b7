import type { ServiceMethod } from '../../../../../nodes/CallVerification/api/contract/methods';
import {
	checkPhone,
	getAccount,
	getBalance,
	getInfo,
	getService,
	inboundCallWaiting,
	initCall,
	initRepeat,
} from '../../../../../nodes/CallVerification/api/contract/methods';

type Kind = 'number' | 'text' | 'flag' | 'code' | 'identifier' | 'anything';

interface RecordOfSection {
	section: string;
	method: ServiceMethod;
	/** The least that makes a record. */
	least: Record<string, unknown>;
	fields: Record<string, Kind>;
}

/** Section 2, field by field, with the type that the contract declares. */
const RECORDS: RecordOfSection[] = [
	{
		section: '2.1',
		method: getInfo,
		least: { vendor_id: 1 },
		fields: {
			status: 'flag',
			vendor_id: 'identifier',
			init_time: 'number',
			call_status: 'number',
			is_repeated: 'flag',
			first_vendor_id: 'number',
			repeatable: 'flag',
			repeat_times: 'number',
			repeated_vendor_ids: 'anything',
			unique: 'text',
			client: 'text',
			phone: 'text',
			code: 'code',
			country_code: 'text',
			balance: 'number',
		},
	},
	{
		section: '2.2',
		method: initCall,
		least: { vendor_id: 1 },
		fields: {
			status: 'flag',
			vendor_id: 'identifier',
			phone: 'text',
			code: 'code',
			client: 'text',
			unique_request_id: 'text',
			exists: 'flag',
		},
	},
	{
		section: '4.3',
		method: initRepeat,
		least: { vendor_id: 1 },
		fields: {
			status: 'flag',
			vendor_id: 'identifier',
			phone: 'text',
			code: 'code',
			client: 'text',
			unique_request_id: 'text',
			exists: 'flag',
			free_repeated: 'flag',
		},
	},
	{
		section: '2.3',
		method: inboundCallWaiting,
		least: { vendor_id: 1, confirmation_number: '78000000000' },
		fields: {
			status: 'flag',
			vendor_id: 'identifier',
			phone: 'text',
			confirmation_number: 'text',
		},
	},
	{
		section: '2.4',
		method: checkPhone,
		least: { source: 'x' },
		fields: {
			source: 'text',
			error: 'anything',
			mobile: 'number',
			phone: 'number',
			country_iso: 'text',
			country_code: 'number',
			mnc: 'number',
			number: 'number',
			provider: 'text',
			company: 'text',
			country: 'text',
			region: 'text',
			city: 'text',
			phone_format: 'text',
			cost: 'number',
			balance: 'number',
		},
	},
	{
		section: '2.5',
		method: getAccount,
		least: { id: 1 },
		fields: {
			id: 'identifier',
			telegram_id: 'number',
			two_auth: 'flag',
			email: 'text',
			updated: 'number',
			created: 'number',
		},
	},
	{
		section: '2.6',
		method: getService,
		least: { service_status: 1 },
		fields: {
			status: 'flag',
			service_status: 'identifier',
			name: 'text',
			creation_time: 'number',
			last_request: 'number',
			owner: 'text',
			use_direction: 'text',
		},
	},
	{
		section: '2.7',
		method: getBalance,
		least: { rub_balance: 1 },
		fields: {
			status: 'flag',
			rub_balance: 'number',
			tariff: 'text',
			tariff_name: 'text',
		},
	},
];

/** What comes, and what is handed out. */
const FORMS: Record<Kind, Array<[came: unknown, out: unknown]>> = {
	number: [
		[0.4, 0.4],
		['12.50', 12.5],
		['-3', -3],
	],
	text: [
		['Ü 1', 'Ü 1'],
		[79, '79'],
	],
	flag: [
		[true, true],
		[false, false],
		['true', true],
		['false', false],
		[1, true],
		[0, false],
		['1', true],
		['0', false],
		['yes', 'yes'],
	],
	code: [
		['0042', '0042'],
		[42, '0042'],
		[1234, '1234'],
	],
	identifier: [
		[1234567, 1234567],
		['1234567', 1234567],
	],
	anything: [
		[
			[1, 2],
			[1, 2],
		],
		['x', 'x'],
	],
};

const ROWS = RECORDS.flatMap(({ section, method, least, fields }) =>
	Object.entries(fields).map(([field, kind]) => ({ section, field, kind, method, least })),
);

const read = (method: ServiceMethod, record: unknown): Record<string, unknown> =>
	method.answer.parse(record);

const problemsOf = (method: ServiceMethod, record: unknown) =>
	method.answer.safeParse(record).error?.issues.map(({ path, message }) => ({ path, message }));

describe('the fields of a record', () => {
	it.each(ROWS)(
		'$section $field comes out as the declared $kind',
		({ field, kind, method, least }) => {
			for (const [came, out] of FORMS[kind]) {
				expect(read(method, { ...least, [field]: came })[field]).toEqual(out);
			}
		},
	);

	it.each(ROWS.filter(({ field, least }) => !(field in least)))(
		'$section $field may be missing, null, or something nobody expected',
		({ field, method, least }) => {
			expect(read(method, least)).not.toHaveProperty(field);
			expect(read(method, { ...least, [field]: null })[field]).toBeNull();
			expect(read(method, { ...least, [field]: { a: 1 } })[field]).toEqual({ a: 1 });
		},
	);

	it.each(ROWS.filter(({ kind, field, least }) => kind === 'number' && !(field in least)))(
		'$section $field stays a text where a number would say something else',
		({ field, method, least }) => {
			for (const text of ['007', '', '1 or 2']) {
				expect(read(method, { ...least, [field]: text })[field]).toBe(text);
			}
		},
	);

	it.each(RECORDS)('$section passes unknown fields through', ({ method, least }) => {
		expect(read(method, { ...least, brand_new: { deep: [1] } }).brand_new).toEqual({ deep: [1] });
	});

	it.each(RECORDS)('$section is no record without what identifies it', ({ method, least }) => {
		for (const field of Object.keys(least)) {
			const { [field]: _left, ...rest } = least;
			expect(problemsOf(method, rest)).toEqual([{ path: [field], message: 'is missing' }]);
			expect(method.answer.safeParse({ ...least, [field]: null }).success).toBe(false);
			expect(method.answer.safeParse({ ...least, [field]: {} }).success).toBe(field === 'source');
		}
	});

	it.each(ROWS.filter(({ kind }) => kind === 'identifier'))(
		'$section $field must be exact',
		({ field, method, least }) => {
			for (const rounded of [2 ** 53, 1e300, 1.5, '9007199254740993']) {
				expect(problemsOf(method, { ...least, [field]: rounded })).toEqual([
					{ path: [field], message: 'is too large to be exact' },
				]);
			}
			for (const other of ['a', '', true]) {
				expect(problemsOf(method, { ...least, [field]: other })).toEqual([
					{ path: [field], message: 'is missing' },
				]);
			}
		},
	);
});

describe('where the declared type and the sample differ', () => {
	const info = { operator: 'A', region: 'B', mnp: 'C' };

	it.each([
		['an object', info, info],
		['an array holding one object', [info], info],
		['an empty object', {}, {}],
		['an empty array', [], {}],
		['null', null, {}],
		['nothing', undefined, {}],
		['an empty text', '', {}],
	])('phone_info comes as %s and goes out as an object', (_what, phone_info, out) => {
		expect(read(getInfo, { vendor_id: 1, phone_info }).phone_info).toEqual(out);
	});

	it.each([
		[0.4, 0.4],
		['0.40', 0.4],
		[0, 0],
		[false, 0],
		[true, null],
	])('cost comes as %j and goes out as %j', (cost, out) => {
		expect(read(getInfo, { vendor_id: 1, cost }).cost).toBe(out);
		expect(read(checkPhone, { source: 'x', cost }).cost).toBe(out);
	});

	it.each([
		['127.0.0.1', '127.0.0.1'],
		[2130706433, '127.0.0.1'],
		[0, '0.0.0.0'],
		[4294967295, '255.255.255.255'],
		['::1', '::1'],
		[-1, '-1'],
		[4294967296, '4294967296'],
	])('logs[].ip comes as %j and goes out as %j', (ip, out) => {
		const logs = [{ action: 'login', user_agent: 'x', ip, created: 1 }];
		expect(read(getAccount, { id: 1, logs }).logs).toEqual([
			{ action: 'login', user_agent: 'x', ip: out, created: 1 },
		]);
	});

	it('logs that are no list pass through', () => {
		expect(read(getAccount, { id: 1, logs: 'none' }).logs).toBe('none');
	});
});

describe('what must be there', () => {
	it.each([
		['confirmation_number', inboundCallWaiting, { vendor_id: 1 }],
		['rub_balance', getBalance, {}],
	] as const)('%s is missing when it is empty or of another kind', (field, method, rest) => {
		for (const value of ['', null, undefined, true, {}, []]) {
			expect(problemsOf(method, { ...rest, [field]: value })).toEqual([
				{ path: [field], message: 'is missing' },
			]);
		}
	});

	it.each([undefined, null, ''])(
		'of a check, the number will do when its source is %j',
		(source) => {
			expect(read(checkPhone, { source, phone: 79000000001 }).phone).toBe(79000000001);
			expect(problemsOf(checkPhone, { source, phone: '' })).toEqual([
				{ path: ['source'], message: 'is missing' },
			]);
		},
	);

	it.each([null, 'text', 5, []])('is not in %j', (value) => {
		expect(problemsOf(getBalance, value)).toEqual([
			{ path: ['rub_balance'], message: 'is missing' },
		]);
	});
});
