import {
	asItCame,
	flag,
	fourDigits,
	identifier,
	ipAddress,
	listOf,
	number,
	objectOf,
	objectOrList,
	price,
	recordOf,
	requiredNumber,
	requiredText,
	text,
	unixTime,
} from '../../../../nodes/CallVerification/contract/fields';

describe('what is neither a number nor written like one', () => {
	it.each([[['5']], [{ a: 1 }], [null], [undefined], ['5 apples']])('stays %j', (value) => {
		expect(number('').read(value)).toBe(value);
	});
});

describe('an address that is not sent as a number', () => {
	it.each([[['1.2.3.4']], [null], [undefined], [true]])('stays %j', (value) => {
		expect(ipAddress('').read(value)).toBe(value);
	});
});

describe('a time', () => {
	const { read, meaning } = unixTime('when');

	it.each([
		[1767225600, 1767225600],
		['1767225600', 1767225600],
		['2026-01-01T00:00:00Z', 1767225600],
		['2026-01-01T03:00:00.999+03:00', 1767225600],
	])('comes as %j and comes out as %j', (came, out) => {
		expect(read(came)).toBe(out);
	});

	it.each(['2026-01-01T00:00:00', '2026-13-01T00:00:00Z', '2026-01-01', 'today', '', null])(
		'stays %j, which is no known point in time',
		(came) => expect(read(came)).toBe(came),
	);

	it('says its unit', () => {
		expect(meaning).toBe('when, Unix time in seconds');
	});
});

/** The type stated in the schemas and the documentation. */
describe('a readable value is returned in the type of its field', () => {
	it.each([
		[number(''), ['5', 5]],
		[identifier(''), ['5', 5]],
		[requiredNumber(''), ['5', 5]],
		[price(''), ['5', 5, false]],
		[unixTime(''), ['5', 5, '2026-01-01T00:00:00Z']],
		[text(''), ['x', 5]],
		[requiredText(''), ['x', 5]],
		[fourDigits(''), ['0042', 42]],
		[ipAddress(''), ['::1', 5]],
		[flag(''), [true, 1, '0']],
		[objectOf('', {}), [{}]],
		[objectOrList('', {}), [{}, [{}], null]],
		[asItCame('string', ''), ['x']],
	])('%j', ({ type, read }, values) => {
		for (const value of values) expect(typeof read(value)).toBe(type);
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
