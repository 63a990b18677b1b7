import {
	asItCame,
	flag,
	fourDigits,
	identifier,
	ipAddress,
	number,
	objectOrList,
	price,
	requiredNumber,
	requiredText,
	text,
} from '../../../../nodes/CallVerification/contract/answerValue';

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

/** The type stated in the schemas and the documentation. */
describe('a readable value is returned in the type of its field', () => {
	it.each([
		[number(''), ['5', 5]],
		[identifier(''), ['5', 5]],
		[requiredNumber(''), ['5', 5]],
		[price(''), ['5', 5, false]],
		[text(''), ['x', 5]],
		[requiredText(''), ['x', 5]],
		[fourDigits(''), ['0042', 42]],
		[ipAddress(''), ['::1', 5]],
		[flag(''), [true, 1, '0']],
		[objectOrList('', {}), [{}, [{}], null]],
		[asItCame('string', ''), ['x']],
	])('%j', ({ type, read }, values) => {
		for (const value of values) expect(typeof read(value)).toBe(type);
	});
});
