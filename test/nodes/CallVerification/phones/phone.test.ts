import fc from 'fast-check';

import { InputError } from '../../../../nodes/CallVerification/contract/request';
import {
	fitsMask,
	assertAllowedPrefix,
	readPhone,
	readPrefixes,
} from '../../../../nodes/CallVerification/phones/phone';
import { thrownBy } from '../thrown';

const SEPARATORS = [
	' ',
	'\u00a0',
	'\u2009',
	'\t',
	'-',
	'\u2011',
	'\u2013',
	'\u2014',
	'.',
	'(',
	')',
];

const digits = fc
	.tuple(
		fc.integer({ min: 1, max: 9 }),
		fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 14 }),
	)
	.map(([first, rest]) => [first, ...rest].join(''))
	.filter((number) => !/^[71]/.test(number) || number.length === 11);

describe('a phone number', () => {
	it.each([
		['+7 (900) 000-00-01', 79000000001],
		['79000000001', 79000000001],
		[79000000001, 79000000001],
		['  +7\u00a0900\u2011000\u201300\u201401 ', 79000000001],
		['+49.151.0000.0000', 4915100000000],
		['2345678', 2345678],
		['234567890123456', 234567890123456],
		['+1 202-555-0123', 12025550123],
	])('written as %j is %i', (written, expected) => {
		expect(readPhone(written)).toBe(expected);
	});

	it('is never completed or corrected: a leading 8 stays', () => {
		expect(readPhone('8 900 000-00-01')).toBe(89000000001);
	});

	it.each([
		['a letter', '7900000000O'],
		['two plus signs', '++79000000001'],
		['a plus sign inside', '7+9000000001'],
		['a slash', '7900/0000001'],
		['digits of another script', '٧٩٠٠٠٠٠٠٠٠١'],
		['a control character', '7900\u00070000001'],
		['six digits', '223456'],
		['sixteen digits', '2234567890123456'],
		['digits appended to a Russian one', '79161234567' + '99'],
		['a digit too few for country code 7', '+7 916 123-45-6'],
		['a digit too many for country code 1', '+1 202-555-01234'],
		['a leading zero', '079000000001'],
		['three leading zeros', '00079000000001'],
		['the decimal comma of a fraction', '79000000001,5'],
		['digits that a spreadsheet has dropped', '7.9E+10'],
		['nothing', ''],
		['only spaces', '   '],
		['only invisible marks', ' \u200b\u200e\ufeff'],
		['undefined', undefined],
		['null', null],
		['true', true],
		['an object', { phone: 79000000001 }],
		['a list', ['79000000001']],
		['a fraction', 79000000001.5],
		['a negative number', -79000000001],
		['an exponent', 1e21],
		['not a number', Number.NaN],
	])('with %s is refused', (_what, value) => {
		expect(() => readPhone(value)).toThrow(InputError);
	});

	const HOW_TO_WRITE_IT =
		'Enter the number with its country code, e.g. +7 900 000-00-01. Digits, one leading plus, spaces, hyphens, dots and parentheses are accepted.';

	it.each([
		['123456', 'has 6 digits instead of 7 to 15'],
		['+7 916 123-45-6', 'has 10 digits instead of 11'],
		['7+9000000001', 'contains a plus sign in the wrong place'],
		['7900/0000001', 'contains “/”'],
		['7900😀0000001', 'contains “😀”'],
		['+7 ٩٠٠ 000', 'contains “٩” instead of a digit from 0 to 9'],
		[' ', 'is empty'],
		[null, 'is empty'],
		[undefined, 'is empty'],
		['\u200e\ufeff', 'is empty'],
	])('of %j is refused with the reason', (value, reason) => {
		const message = `The phone number ${reason}`;
		expect(thrownBy(() => readPhone(value))).toMatchObject({ message, advice: HOW_TO_WRITE_IT });
	});

	it.each([
		['\u0007', 'U+0007'],
		['\u0085', 'U+0085'],
		['\u0301', 'U+0301'],
		['\u2800', 'U+2800'],
		['\ufff9', 'U+FFF9'],
		['\ue000', 'U+E000'],
		['\ud800', 'U+D800'],
		['\u{f0000}', 'U+F0000'],
	])('with %j, which cannot be seen, is refused with its code point', (character, name) => {
		const message = `The phone number contains an invisible character (${name})`;
		expect(thrownBy(() => readPhone(`7900${character}0000001`))).toMatchObject({ message });
	});

	it.each([true, -5, 'none'])('of %j is refused as none', (value) => {
		const message = 'Not a phone number';
		expect(thrownBy(() => readPhone(value))).toMatchObject({ message, advice: HOW_TO_WRITE_IT });
	});

	it('with a leading zero is refused, with the option that helps', () => {
		expect(thrownBy(() => readPhone('079000000001'))).toMatchObject({
			message: 'The phone number starts with 0 instead of a country code',
			advice: `${HOW_TO_WRITE_IT} If numbers lack it, add “Default Country Code” under Options.`,
		});
	});

	it('that a spreadsheet has rounded is refused with the reason', () => {
		expect(thrownBy(() => readPhone('7.9E+10'))).toMatchObject({
			message: 'A spreadsheet has rounded the phone number',
			advice:
				'Its last digits are lost. Format the column as text in the spreadsheet to keep every digit.',
		});
	});

	it('is reduced to its digits, whatever the separators', () => {
		const written = fc
			.tuple(
				digits,
				fc.array(fc.constantFrom('', ...SEPARATORS), { minLength: 16, maxLength: 16 }),
				fc.boolean(),
			)
			.map(([number, gaps, plus]) => ({
				number,
				text: `${plus ? '+' : ''}${[...number].map((digit, index) => digit + (gaps[index] ?? '')).join('')}`,
			}))
			.filter(({ text }) => !/^\+?\d+\.0+$|^\+\d+\s*\(0\)/.test(text.trim()))
			// From 14 digits on, a space in the middle may separate two local numbers.
			.filter(({ number, text }) => text.startsWith('+') || number.length < 14);
		fc.assert(fc.property(written, ({ number, text }) => readPhone(text) === Number(number)));
	});

	it('with any other character is refused, and the error does not show it', () => {
		const stranger = fc
			.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
			// “E” and the comma occur in spreadsheet numbers, quotes and “=” around them, “x” and “#” before an extension.
			.filter(
				(character) => !/^[\d+\s\p{Dash}.()\p{DI}eE,;'‘’`"=xXхХ#\uff01-\uff5e]+$/u.test(character),
			);
		fc.assert(
			fc.property(digits, stranger, fc.nat(7), (number, character, position) => {
				const text = number.slice(0, position) + character + number.slice(position);
				try {
					readPhone(text);
					return false;
				} catch (error) {
					return error instanceof InputError && !`${error.message}${error.advice}`.includes(number);
				}
			}),
		);
	});

	it('is parsed in linear time', () => {
		expect(() => readPhone(`${' '.repeat(1_000_000)}7x`)).toThrow('contains “x”');
	});
});

describe('allowed prefixes', () => {
	it.each([
		['7, 375', ['7', '375']],
		['+7;+375', ['7', '375']],
		[' 7\n49 ', ['7', '49']],
		['', []],
		[undefined, []],
		[7, ['7']],
		['\u200e+7,\ufeff 375', ['7', '375']],
		[
			[7, '375'],
			['7', '375'],
		],
	])('are read from %j', (value, prefixes) => {
		expect(readPrefixes(value)).toEqual(prefixes);
	});

	it.each(['abc', '7, x', '07', '7-900', '3+75', {}])('are refused when they are %j', (value) => {
		expect(thrownBy(() => readPrefixes(value))).toMatchObject({
			message: '“Allowed Prefixes” contains an invalid prefix',
			advice: 'List the first digits of the allowed numbers, separated by commas, e.g. 7, 375.',
		});
	});

	it('allow any number when there are none', () => {
		expect(() => assertAllowedPrefix(readPhone('79000000001'), [])).not.toThrow();
	});

	it('allow a number that starts with one of them, and no other', () => {
		expect(() => assertAllowedPrefix(readPhone('375290000000'), ['7', '375'])).not.toThrow();
		const refused = () => assertAllowedPrefix(readPhone('4937500000'), ['7', '375']);
		expect(thrownBy(refused)).toMatchObject({
			message: 'The phone number does not start with any of the allowed prefixes',
			advice: 'Allowed prefixes: 7, 375. Change “Allowed Prefixes” to allow this number.',
		});
	});
});

describe('a masked number', () => {
	it.each([
		['7900***0001', true],
		['+7900***0001', true],
		['7900*****01', true],
		['7900***0002', false],
		['7901***0001', false],
		['79000000001', true],
		['7900', false],
		['', false],
		[undefined, false],
	])('%j fits 79000000001: %s', (masked, fits) => {
		expect(fitsMask(masked, readPhone('79000000001'))).toBe(fits);
	});
});
