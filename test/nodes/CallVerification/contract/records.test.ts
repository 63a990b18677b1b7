import {
	asItCame,
	fourDigits,
	flag,
	identifier,
	ipAddress,
	isRecord,
	type JsonType,
	listOf,
	number,
	objectOf,
	objectOrList,
	price,
	type RecordField,
	type RecordFields,
	recordOf,
	requiredNumber,
	requiredText,
	text,
	unixTime,
	Unusable,
} from '../../../../nodes/CallVerification/contract/fields';
import { methods, type ServiceMethod } from '../../../../nodes/CallVerification/contract/methods';

const { checkPhone, getAccount, getBalance, getInfo, getService, inboundCallWaiting } = methods;

type Kind =
	| 'number'
	| 'price'
	| 'time'
	| 'text'
	| 'address'
	| 'flag'
	| 'code'
	| 'identifier'
	| 'anything';

/** The kind of a field, by its reader. */
const KINDS = new Map<RecordField['read'], Kind>([
	[number('').read, 'number'],
	[requiredNumber('').read, 'number'],
	[price('').read, 'price'],
	[unixTime('').read, 'time'],
	[text('').read, 'text'],
	[requiredText('').read, 'text'],
	[ipAddress('').read, 'address'],
	[flag('').read, 'flag'],
	[fourDigits('').read, 'code'],
	[identifier('').read, 'identifier'],
	[asItCame('string', '').read, 'anything'],
]);

type Content = Record<string, unknown>;

/** A field of a record, or of one inside it. */
interface Row {
	row: string;
	field: string;
	type: JsonType;
	kind: Kind | undefined;
	isNeeded: boolean;
	method: ServiceMethod;
	/** A whole record that has this content where the field belongs. */
	given: (content: Content) => Content;
	/** What a record has there. */
	found: (record: Content) => Content;
}

const read = (method: ServiceMethod, record: unknown): Content => method.response.parse(record);

const problemsOf = (method: ServiceMethod, record: unknown) =>
	method.response.safeParse(record).error?.issues.map(({ path, message }) => ({ path, message }));

/** The minimum that makes a record: adds what is missing, until nothing is. */
function leastOf(
	method: ServiceMethod,
	fields: RecordFields,
	given: Row['given'] = (content) => content,
	least: Content = {},
): Content {
	const missing = String(problemsOf(method, given(least))?.[0]?.path.at(-1) ?? '');
	if (missing === '' || missing in least) return least;
	const value = fields[missing]?.type === 'number' ? 1 : 'x';
	return leastOf(method, fields, given, { ...least, [missing]: value });
}

function rowsOf(
	method: ServiceMethod,
	fields: RecordFields,
	{ row, given, found }: Pick<Row, 'row' | 'given' | 'found'>,
): Row[] {
	const least = leastOf(method, fields, given);
	return Object.entries(fields).flatMap(([field, { type, read: readField, fields: inner }]) => {
		const name = `${row}.${field}`;
		const whole = (content: Content) => given({ ...least, ...content });
		if (inner === undefined) {
			const [kind, isNeeded] = [KINDS.get(readField), field in least];
			return [{ row: name, field, type, kind, isNeeded, method, given: whole, found }];
		}
		const isList = type === 'array';
		return rowsOf(method, inner as RecordFields, {
			row: name,
			given: (content) => whole({ [field]: isList ? [content] : content }),
			found: (record) => {
				const [content] = [found(record)[field]].flat();
				return isRecord(content) ? content : {};
			},
		});
	});
}

/** Every method of the contract. */
const RECORDS = Object.values<ServiceMethod>(methods).map((method) => ({
	name: method.name,
	method,
	least: leastOf(method, method.response.fields),
}));

const ROWS = RECORDS.flatMap(({ name, method }) =>
	rowsOf(method, method.response.fields, {
		row: name,
		given: (content) => content,
		found: (record) => record,
	}),
);

/** What the service sends, and what the node returns. */
const FORMS: Record<Kind, Array<[came: unknown, out: unknown]>> = {
	number: [
		[0.4, 0.4],
		['12.50', 12.5],
		['-3', -3],
	],
	price: [
		[0.4, 0.4],
		['12.50', 12.5],
		['0.05 RUB', null],
	],
	time: [
		[1_700_000_000, 1_700_000_000],
		['1700000000', 1_700_000_000],
		['2023-11-14T22:13:20Z', 1_700_000_000],
		['2023-11-15T01:13:20.999+03:00', 1_700_000_000],
		['2023-11-14T22:13Z', 1_699_999_980],
	],
	address: [
		['192.0.2.1', '192.0.2.1'],
		[3_221_225_985, '192.0.2.1'],
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

describe('the fields of a record', () => {
	it('are each read in a way that is tested here', () => {
		expect(ROWS.filter(({ kind }) => kind === undefined).map(({ row }) => row)).toEqual([]);
	});

	it.each(ROWS)('$row comes out as the declared $kind', ({ field, kind, method, given, found }) => {
		for (const [came, out] of FORMS[kind ?? 'anything']) {
			expect(found(read(method, given({ [field]: came })))[field]).toEqual(out);
		}
	});

	it.each(ROWS.filter(({ kind }) => kind !== 'anything'))(
		'$row is declared as the type that comes out',
		({ field, type, kind, method, given, found }) => {
			const [[came] = []] = FORMS[kind ?? 'anything'];
			expect(typeof found(read(method, given({ [field]: came })))[field]).toBe(type);
		},
	);

	it.each(ROWS.filter(({ isNeeded }) => !isNeeded))(
		'$row may be missing, null, or something unexpected',
		({ field, kind, method, given, found }) => {
			expect(found(read(method, given({})))).not.toHaveProperty(field);
			for (const odd of [null, { a: 1 }, ['5']]) {
				// Prices go into columns of numbers.
				const expected = kind === 'price' ? null : odd;
				expect(found(read(method, given({ [field]: odd })))[field]).toEqual(expected);
			}
		},
	);

	it.each(ROWS.filter(({ kind, isNeeded }) => kind === 'number' && !isNeeded))(
		'$row stays text where a number would change its meaning',
		({ field, method, given, found }) => {
			for (const odd of ['007', '', '1 or 2']) {
				expect(found(read(method, given({ [field]: odd })))[field]).toBe(odd);
			}
		},
	);

	it.each(RECORDS)('$name passes unknown fields through (§9.4)', ({ method, least }) => {
		expect(read(method, { ...least, brand_new: { deep: [1] } }).brand_new).toEqual({ deep: [1] });
	});

	it.each(RECORDS)('$name is no record without what identifies it', ({ method, least }) => {
		for (const field of Object.keys(least)) {
			const { [field]: _left, ...rest } = least;
			expect(problemsOf(method, rest)).toEqual([{ path: [field], message: 'is missing' }]);
			expect(method.response.safeParse({ ...least, [field]: null }).success).toBe(false);
			const isOfAnyType = !(method.response.fields[field]?.read({}) instanceof Unusable);
			expect(method.response.safeParse({ ...least, [field]: {} }).success).toBe(isOfAnyType);
		}
	});

	it.each([
		['getAccount.id', getAccount, 'id', { email: 'x' }],
		['getService.service_status', getService, 'service_status', { name: 'x' }],
	] as const)('%s may have any type, or be missing', (_row, method, field, rest) => {
		for (const odd of [true, 'abc', '', null, {}, [1], 1.5, 2 ** 60]) {
			expect(read(method, { ...rest, [field]: odd })[field]).toEqual(odd);
		}
		expect(read(method, rest)).toEqual(rest);
	});

	it.each(ROWS.filter(({ kind }) => kind === 'identifier'))(
		'$row must be exact',
		({ row, field, method, given }) => {
			const path = row.split('.').slice(1);
			for (const rounded of [2 ** 53, 1e300, 1.5, '9007199254740993']) {
				expect(problemsOf(method, given({ [field]: rounded }))).toEqual([
					{ path, message: 'is too large to be exact' },
				]);
			}
			for (const other of ['a', '', true]) {
				expect(problemsOf(method, given({ [field]: other }))).toEqual([
					{ path, message: 'is missing' },
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
	])('§2.phone_info comes as %s and comes out as an object', (_what, phone_info, out) => {
		expect(read(getInfo, { vendor_id: 1, phone_info }).phone_info).toEqual(out);
	});

	it.each([
		[0.4, 0.4],
		['0.40', 0.4],
		[0, 0],
		[false, 0],
		[true, null],
	])('§2.cost comes as %j and comes out as %j (§2.currency)', (cost, out) => {
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
	])('§2.ip comes as %j and comes out as %j', (ip, out) => {
		const logs = [{ action: 'login', user_agent: 'x', ip, created: 1 }];
		expect(read(getAccount, { id: 1, logs }).logs).toEqual([
			{ action: 'login', user_agent: 'x', ip: out, created: 1 },
		]);
	});

	it('logs that are not a list pass through', () => {
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

describe('a field with another name', () => {
	const read = (body: object) => getInfo.response.parse(body) as object;

	it('does not replace ours, unless ours is empty', () => {
		expect(read({ vendor_id: 1, ucaller_id: 2 })).toEqual({ vendor_id: 1, phone_info: {} });
		expect(read({ vendor_id: null, ucaller_id: 2 })).toEqual({ vendor_id: 2, phone_info: {} });
		expect(read({ ucaller_id: 2, vendor_id: '' })).toEqual({ vendor_id: 2, phone_info: {} });
	});

	it('is an error under our name if it is unusable', () => {
		expect(getInfo.response.safeParse({ ucaller_id: 2 ** 60 }).error?.issues[0]).toMatchObject({
			path: ['vendor_id'],
			message: 'is too large to be exact',
		});
	});
});
describe('a time', () => {
	const { read, meaning } = unixTime('when');

	it.each([
		'2026-01-01T00:00:00',
		'2026-13-01T00:00:00Z',
		'+002026-01-01T00:00:00Z',
		'2026-01-01T00:00:00Z\0',
		'2026-01-01',
		'today',
		'',
		null,
		['2026-01-01T00:00:00Z'],
	])('stays %j, which is no known point in time', (came) => expect(read(came)).toBe(came));

	it('says its unit', () => {
		expect(meaning).toBe('when, Unix time in seconds');
	});
});

describe('records inside a record', () => {
	const inner = { calls: number('', 'count'), by: text('') };
	const outer = recordOf({
		total: objectOf('', inner),
		days: listOf('', { ...inner, cost: objectOf('', { sum: number('') }) }),
	});

	it('are read all the way down, and keep unknown fields', () => {
		const came = {
			total: { count: '5', by: 7, more: 1 },
			days: [{ by: 8, cost: { sum: '0.4' } }, 'none'],
		};
		expect(outer.parse(came)).toEqual({
			total: { calls: 5, by: '7', more: 1 },
			days: [{ by: '8', cost: { sum: 0.4 } }, 'none'],
		});
	});

	it.each([
		['an object', objectOf, 'object'],
		['a list', listOf, 'array'],
		['an object sent as a list', objectOrList, 'object'],
	])('are declared as what comes out for %s', (_what, fieldOf, type) => {
		expect(fieldOf('', inner).type).toBe(type);
	});

	it('stay missing, null, or what else came instead', () => {
		expect(outer.parse({})).toEqual({});
		for (const other of [null, 'none', []]) {
			expect(outer.parse({ total: other })).toEqual({ total: other });
		}
		expect(outer.parse({ days: {} })).toEqual({ days: {} });
	});

	it.each([
		['an object', objectOf('', { id: identifier('') }), {}],
		['a list', listOf('', { id: identifier('') }), [{ id: 1 }, {}]],
		['an object sent as a list', objectOrList('', { id: identifier('') }), [{}]],
	])('are an error where %s lacks what it needs', (_what, field, came) => {
		const { error } = recordOf({ field }).safeParse({ field: came });
		expect(error?.issues).toMatchObject([{ path: ['field', 'id'], message: 'is missing' }]);
	});
});
