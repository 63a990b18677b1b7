import fc from 'fast-check';

import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { readCountryCode } from '../../../../nodes/CallVerification/phones/countryCode';
import {
	assertAllowedPrefix,
	beginsWith8,
	fitsMask,
	isSameNumber,
	readPhone,
	readPhoneToCheck,
	readPrefixes,
	sameNumberKey,
} from '../../../../nodes/CallVerification/phones/phone';
import {
	readSpreadsheetNumber,
	withoutInvisibleMarks,
} from '../../../../nodes/CallVerification/phones/writing';
import { thrownBy } from '../thrown';

const SEPARATORS = [...' \u00a0\u2009\t-\u2011\u2013\u2014.()'];
const NUMBER = '+7 900 000-00-01';
const HOW_TO_WRITE_IT =
	'Enter the number with its country code, e.g. +7 900 000-00-01. Digits, one leading plus, spaces, hyphens, dots and parentheses are accepted.';

/** With its country code, between 7 and 15 digits, and of the right length if that is known. */
const digits = fc
	.stringMatching(/^[1-9]\d{6,14}$/)
	.filter((number) => !/^[71]/.test(number) || number.length === 11)
	.filter((number) => !/^(?:375|380|996|998)/.test(number) || number.length === 12);
/** Without a plus, others may be a Russian or Belarusian number, also with a digit missing or one too many. */
const isClear = (number: string) =>
	number.length !== 10 && !/^8|^\d(?:[78][346-9]\d|80[1-4])\d{8}$/.test(number);
const grouped = (number: string, gaps: readonly string[]) =>
	[...number].map((digit, index) => digit + (gaps[index] ?? '')).join('');
const COUNTRY_CODES = '1 7 20 30 33 36 39 44 49 86 375 380 998'.split(' ');
const someCode = fc.constantFrom(undefined, '7', '1', '44', '39');

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
		['8613800138000', 8613800138000],
	])('written as %j is %i', (written, expected) => {
		expect(readPhone(written)).toBe(expected);
	});

	it.each([
		['a letter', '7900000000O', 'contains “O”'],
		['two plus signs', '++79000000001', 'contains a plus sign in the wrong place'],
		['a plus sign inside', '7+9000000001', 'contains a plus sign in the wrong place'],
		['a slash', '7900/0000001', 'contains “/”'],
		['an emoji', '7900😀0000001', 'contains “😀”'],
		['digits of another script', '+7 ٩٠٠ 000', 'contains “٩” instead of a digit from 0 to 9'],
		['the decimal comma of a fraction', '79000000001,5', 'contains “,”'],
		['six digits', '223456', 'has 6 digits instead of 7 to 15'],
		['six digits, and a decimal', '123456.0', 'has 6 digits instead of 7 to 15'],
		['sixteen digits', '2234567890123456', 'has 16 digits instead of 7 to 15'],
		['digits appended to a Russian one', '79161234567' + '99', 'has 13 digits instead of 11'],
		['a digit too few for country code 7', '+7 916 123-45-6', 'has 10 digits instead of 11'],
		['a digit too many for country code 1', '+1 202-555-01234', 'has 12 digits instead of 11'],
		['a digit too few for country code 375', '+375 29 000-00-0', 'has 11 digits instead of 12'],
		['a digit too many before a Russian one', '579161234567', 'has a digit too many'],
		['a leading zero', '079000000001', 'starts with 0 instead of a country code'],
		['a zero and a decimal', '079000000001.0', 'starts with 0 instead of a country code'],
		['three leading zeros', '00079000000001', 'starts with 0 instead of a country code'],
		['nothing', '', 'is empty'],
		['only spaces', '   ', 'is empty'],
		['only invisible marks', ' \u200b\u200e\ufeff', 'is empty'],
		['undefined', undefined, 'is empty'],
		['null', null, 'is empty'],
	])('with %s is refused', (_what, value, reason) => {
		const error = thrownBy(() => readPhone(value)) as InputError;
		expect(error).toBeInstanceOf(InputError);
		expect(error.message).toBe(`The phone number ${reason}`);
		expect(error.advice).toContain(HOW_TO_WRITE_IT);
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

	it.each([true, { phone: 79000000001 }, ['79000000001'], 79000000001.5, -5, Number.NaN, 'none'])(
		'of %j is refused as none',
		(value) => {
			const message = 'Not a phone number';
			expect(thrownBy(() => readPhone(value))).toMatchObject({ message, advice: HOW_TO_WRITE_IT });
		},
	);

	it.each([
		['079000000001', 'starts with 0 instead of a country code'],
		['9000000001', 'may lack its country code'],
		['8 900 000-00-01', 'may lack its country code'],
		['8.9000000001E+10', 'may lack its country code'],
		['8 (495) 123-45-67', 'may lack its country code'],
		['8 029 123-45-67', 'may lack its country code'],
		['(495) 123-45-6', 'may lack its country code'],
		['(202) 555-0123', 'may lack its country code'],
		['495 000-00-00', 'may lack its country code'],
	])('without a country code is refused, with the option that helps: %s', (written, problem) => {
		expect(thrownBy(() => readPhone(written))).toMatchObject({
			message: `The phone number ${problem}`,
			advice: `${HOW_TO_WRITE_IT} If numbers lack it, add “Default Country Code” under Options.`,
		});
	});

	it.each(['7.9E+10', 1e21])('that a spreadsheet has rounded is refused: %j', (value) => {
		expect(thrownBy(() => readPhone(value))).toMatchObject({
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
				text: `${plus ? '+' : ''}${grouped(number, gaps)}`,
			}))
			.filter(({ text }) => !/^\+?\d+\.\d+$|^\+\d+\s*\(0\)/.test(text.trim()))
			.filter(({ number, text }) => text.startsWith('+') || isClear(number))
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

	it('allow a number that starts with one of them, and any if there are none', () => {
		expect(() => assertAllowedPrefix(readPhone('375290000000'), ['7', '375'])).not.toThrow();
		expect(() => assertAllowedPrefix(readPhone('+4937500000'), [])).not.toThrow();
		const refused = () => assertAllowedPrefix(readPhone('+4937500000'), ['7', '375']);
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

describe('the text of a number to check', () => {
	it.each(['+7 900 000-00-01', ' 8 (900) 000-00-01 ', '9000000001', '375 29 000-00-00'])(
		'stays as typed: %j',
		(text) => {
			expect(readPhoneToCheck(text)).toEqual({ source: text, text });
		},
	);

	it.each([
		[' 8 (900) ', 'a digit is missing'],
		['223456', 'a digit is missing'],
		['+7 900 000-00-0', 'a digit is missing'],
		['7900000000', 'a digit is missing'],
		['8 (347) 123-45-6', 'a digit is missing'],
		['7 927 123-45-6', 'a digit is missing'],
		['+375 29 000-00-0', 'a digit is missing'],
		['22-33-44 Иван', 'a digit is missing'],
		['790000000012', 'a digit too many'],
		['4000000000000000', 'a digit too many'],
		['579161234567', 'a digit too many'],
		['8 (495) 123-45-678', 'a digit too many'],
		['489161234567', 'a digit too many'],
		['8 347 12345', 'a digit is missing'],
		['8 029 123-45-67', 'the country code is missing'],
		['(495) 123-45-6', 'the country code is missing'],
		['050 000 00 00', 'the country code is missing'],
		['495 000-00-00', 'the country code is missing'],
		['call 7', 'no number'],
		['00', 'a digit is missing'],
		['Ⅶ', 'no number'],
		['٧٩٠', 'no number'],
		['7,5', 'no number'],
		['79000000001.5', 'no number'],
		['7\u0007', 'no number'],
	])('is unreadable, and not sent: %j', (source, why) => {
		expect(readPhoneToCheck(source)).toEqual({ source, problem: `unreadable: ${why}` });
		expect(() => readPhone(source)).toThrow(InputError);
	});

	it('may come as a number', () => {
		expect(readPhoneToCheck(79000000001)).toEqual({ source: '79000000001', text: '79000000001' });
		expect(readPhoneToCheck(7.9000000001e10).text).toBe('79000000001');
	});

	it.each([
		[undefined, ''],
		[null, ''],
		['', ''],
		[' \t\n', ' \t\n'],
		['\u200b \u200e\u2066\ufeff', '\u200b \u200e\u2066\ufeff'],
		['\u0000', '\u0000'],
	])('is a problem when nothing is visible: %j', (value, source) => {
		expect(readPhoneToCheck(value)).toEqual({ source, problem: 'empty' });
	});

	it('is a problem when a spreadsheet has rounded it', () => {
		const problem = 'unreadable: rounded by a spreadsheet (format the column as text)';
		expect(readPhoneToCheck('7.9E+10')).toEqual({ source: '7.9E+10', problem });
		expect(readPhoneToCheck(2 ** 53)).toEqual({ source: '9007199254740992', problem });
	});

	it.each([1.5, 0, -1, NaN])('is a problem when it is the number %j', (value) => {
		const problem = 'unreadable: no number';
		expect(readPhoneToCheck(value)).toEqual({ source: String(value), problem });
	});

	it.each(['нет', 'n/a', '-', 'call me', '+', 'tel:none', '="—"', 'seven', 'ＮＯ', '一二三'])(
		'is a problem without a single digit: %j',
		(source) => {
			const problem = 'unreadable: no number';
			expect(readPhoneToCheck(source)).toEqual({ source, problem });
			expect(readPhoneToCheck(source, '7').problem).toBe(problem);
			expect(() => readPhone(source)).toThrow('Not a phone number');
		},
	);

	it.each([{}, [], true])('is rejected when it is %j', (value) => {
		expect(thrownBy(() => readPhoneToCheck(value))).toMatchObject({
			message: 'Not a phone number',
			advice: expect.stringContaining('Enter the number with its country code'),
		});
	});
});

describe('the same number', () => {
	it.each([
		['+7 900 000-00-01', '79000000001'],
		['(7) 900.000.00.01', '+79000000001'],
		['8 900', '8900'],
		['79000000001.0', '+7 900 000-00-01'],
		['7,9000000001E+10', '79000000001.00'],
		['+8 900 000-00-01', '+89000000001,0'],
		['\u200e+7 900 000-00-01', '79000000001'],
		['call 79000000001', '79000000001'],
	])('is written as %s or %s', (one, other) => {
		expect(sameNumberKey(one)).toBe(sameNumberKey(other));
	});

	it.each([
		['89000000001', '+89000000001'],
		['0049151000000', '+0049151000000'],
		['79000000001', '79000000002'],
		['7 900 x', '7900x'],
		['7+900', '7900'],
		['79000000001.0', '790000000010'],
		['89000000001.0', '+89000000001.0'],
		['7.9E+10', '79000000000'],
	])('is not %s and %s', (one, other) => {
		expect(sameNumberKey(one)).not.toBe(sameNumberKey(other));
	});
});

describe('a number is read although it is written', () => {
	it.each([
		['with an apostrophe that a word processor made', `’${NUMBER}`, NUMBER],
		['between apostrophes', `'${NUMBER}'`, NUMBER],
		['as the text of a formula, without a plus', '="79000000001"', '79000000001'],
		['as a formula without quotes', '=+79000000001', '+79000000001'],
		['between quotes', `"${NUMBER}"`, NUMBER],
		['as a formula after an apostrophe', `'="${NUMBER}"`, NUMBER],
		['as the decimal of a formula', '="79000000001.0"', '79000000001'],
		['as a link with more', 'tel:79000000001;ext=12;phone-context=a.example', '79000000001'],
		['as a link in capitals', 'TEL: +79000000001', '+79000000001'],
		['as an encoded link', 'tel:%2B7%20900%200000001', '+7 900 0000001'],
		['as a link of another kind', 'callto:+79000000001', '+79000000001'],
		['after a word', `Тел.: ${NUMBER}`, NUMBER],
		['as a WhatsApp link', 'wa.me/79000000001', '+79000000001'],
		['as a WhatsApp link with a plus', 'https://wa.me/+79000000001', '+79000000001'],
		['as such a link with text', 'https://wa.me/79000000001?text=No.%2012345678', '+79000000001'],
		['as a WhatsApp link with a slash', 'http://www.wa.me/79000000001/', '+79000000001'],
		['as an old link', 'https://api.whatsapp.com/send?phone=79000000001&text=Hi', '+79000000001'],
		[
			'with text first',
			'https://web.whatsapp.com/send/?text=Hi&phone=%2B79000000001',
			'+79000000001',
		],
		['as a link to the app', 'whatsapp://send?phone=79000000001', '+79000000001'],
		['with an extension', `${NUMBER} ext. 12`, NUMBER],
		['with an extension without a dot', `${NUMBER} ext 12`, NUMBER],
		['with an extension after a comma', `${NUMBER}, Extension: 12`, NUMBER],
		['with a short extension', `${NUMBER}x12`, NUMBER],
		['with a short extension in Cyrillic', `${NUMBER} х 12`, NUMBER],
		['with an extension after a number sign', `${NUMBER} #12`, NUMBER],
		['with a Russian extension', `${NUMBER} доб. 12`, NUMBER],
		['with a Russian extension without a dot', `${NUMBER}, доб 12`, NUMBER],
		['with a whole Russian word', `${NUMBER} добавочный 12`, NUMBER],
		['with a Russian internal number', `${NUMBER} вн. 12`, NUMBER],
		['with an extension in parentheses', `${NUMBER} (доб. 12)`, NUMBER],
		['with a semicolon at its end', `${NUMBER};`, NUMBER],
		['in full-width characters', '＋７（９００）０００－００－０１', '+7(900)000-00-01'],
		['with 00 and spaces', ' 00 7 (900) 000-00-01', '+7 (900) 000-00-01'],
		['with 00 and parentheses', '00(7)900-000-00-01', '+(7)900-000-00-01'],
		['with 00 in a decimal', '0079000000001.0', '+79000000001'],
		['with invisible marks in a formula', `\u202a="${NUMBER}"\u202c`, NUMBER],
	])('%s: %j', (_how, written, text) => {
		expect(readPhoneToCheck(written)).toEqual({ source: written, text });
		expect(readPhone(written)).toBe(79000000001);
		expect(sameNumberKey(written)).toBe('79000000001');
	});

	it.each([
		['+44 (0)20 7946 0958', '+44 20 7946 0958'],
		['0044(0)2079460958', '+442079460958'],
	])('with the 0 that is dialled only inside the country: %s', (written, text) => {
		expect(readPhoneToCheck(written)).toEqual({ source: written, text });
		expect(readPhone(written)).toBe(442079460958);
	});

	it.each(['+39 (0)6 0000 0000', '+378 (0)549 000000', '+99 (0)00 0000 0000'])(
		'but its 0 stays where it is part of the number: %s',
		(written) => {
			expect(readPhoneToCheck(written)).toEqual({ source: written, text: written });
		},
	);

	const OTHERS =
		'=SUM(A1:A9)|https://wa.me/message/ABCDEFG1234567|https://example.com/79000000001|ext. 12|box 12|10x12|491511234x567|00|000|0042|00123456';

	it.each(OTHERS.split('|'))('while any other text is unreadable: %j', (text) => {
		expect(readPhoneToCheck(text).problem).toMatch(/^unreadable: /);
		expect(() => readPhone(text)).toThrow(InputError);
	});
});

describe('the only number among words', () => {
	it.each([
		['8 900 000-00-01 (мама)', '+79000000001'],
		['Иван 8 900 000-00-01', '+79000000001'],
		['Иван: +7 900 000-00-01, после 18', '+7 900 000-00-01'],
		['WhatsApp +79000000001', '+79000000001'],
		['79000000001 WhatsApp/Viber', '79000000001'],
		['моб. (812) 000-00-01', '+78120000001'],
		['кв. 5, тел. 8(900)000-00-01', '+79000000001'],
		['ivan1985@example.com 89000000001', '+79000000001'],
		['«89000000001»', '+79000000001'],
		['Hans: 0049 30 1234567', '+49 30 1234567'],
		['(+7) 900 000-00-01', '(+7) 900 000-00-01'],
	])('is read by lists: %j', (source, text) => {
		expect(readPhoneToCheck(source, '7')).toEqual({ source, text });
	});

	it.each([
		['8 900 000-00-0 (мама)', 'a digit is missing'],
		['Иван 8 900 000-00-011', 'a digit too many'],
		['Иван 22-33-44', 'a digit is missing'],
		['8 900 000-00-01 и 8 900 000-00-02', 'two numbers'],
		['8 (495) 000-00-00/01', 'two numbers'],
		['8 900 000-00-01, 02', 'two numbers'],
		['8 900 000-00-0O', 'no number'],
		['8900000000O', 'no number'],
		['id79000000001', 'no number'],
		['example.com/?phone=79000000001', 'no number'],
		['79000000001@example.com', 'no number'],
		['№89000000001', 'no number'],
		// Without a plus or a default, it may be anything.
		['Order 22345678', 'a digit is missing'],
		['Order 2234567890123', 'no number'],
	])('must be one, complete and by itself: %j', (source, why) => {
		expect(readPhoneToCheck(source, '7')).toEqual({ source, problem: `unreadable: ${why}` });
	});

	it.each(['8 900 000-00-01 (мама)', 'Иван +7 900 000-00-01'])('is never called: %j', (text) => {
		expect(() => readPhone(text, '7')).toThrow('The phone number contains “');
	});
});

describe('two numbers in one cell', () => {
	it.each([
		'+7 900 000-00-01, +7 900 000-00-02',
		'8 (900) 000-00-01 / 8 (900) 000-00-02',
		'8 900 000-00-01\n8 900 000-00-02',
		'8 900 000-00-01 и 8 900 000-00-02',
		'+7 900 000-00-01 and +7 900 000-00-02',
		'+7 900 000-00-01 +7 900 000-00-02',
		'+79000000001+79000000002',
		'8 900 000-00-01 8 900 000-00-02',
		'8 900 000-00-01 (8 900 000-00-02)',
		'8 (495) 000-00-00, 000-00-01',
		'220-00-00 220-00-01',
		'="+79000000001, +79000000002"',
		'tel:+79000000001;tel:+79000000002',
		'tel:+79000000001;+79000000002',
		'https://wa.me/79000000001 https://wa.me/79000000002',
		'+7 900 000-00-01 доб. 12, +7 900 000-00-02',
		'+7 900 000-00-01, +7 900 000-00-02 ext. 12',
		'８９００００００００１，８９００００００００２',
		'mobile 89000000001, office 84950000000',
	])('are unreadable, and no call: %j', (source) => {
		expect(readPhoneToCheck(source)).toEqual({ source, problem: 'unreadable: two numbers' });
		expect(readPhoneToCheck(source, '7').problem).toBe('unreadable: two numbers');
		expect(thrownBy(() => readPhone(source, '7'))).toMatchObject({
			message: 'The phone number contains two numbers',
			advice: 'Enter only one of them.',
		});
	});

	const SINGLE =
		'+7 900\n000-00-01|8-900-000-00-01|8.900.000.00.01|00 86 138 0000 0000|+62 812 3456 78901|+223456789012345|+2234567 89012345';

	it.each(SINGLE.split('|'))('are not %j', (source) => {
		expect(readPhoneToCheck(source).problem).toBeUndefined();
	});

	const local = fc.stringMatching(/^[1-9]\d{6,10}$/);
	const between = [', ', ',', ';', ' / ', '/', '\n', '\r\n', ' и ', ' or ', ' ', '|', ' +', '\t'];

	it('are never merged into one', () => {
		fc.assert(
			fc.property(local, fc.constantFrom(...between), local, (one, gap, other) => {
				const cell = `${one}${gap}${other}`;
				expect(readPhoneToCheck(cell).problem).toBe('unreadable: two numbers');
				expect(() => readPhone(cell, '7')).toThrow(InputError);
			}),
		);
	});
});

/** Not so long that a space may separate two local numbers. */
const international = digits.filter((number) => number.length <= 13);
const gapsBetween = fc.array(fc.constantFrom('', '', '', ' ', '-', '.', '\u00a0', '–'), {
	minLength: 12,
	maxLength: 12,
});

const WRAPS: ReadonlyArray<(number: string) => string> = [
	(number) => number,
	(number) => `'${number}`,
	(number) => `="${number}"`,
	(number) => `"=""${number}"""`,
	(number) => ` ${number}\u200b `,
	(number) => `tel:${number}`,
	(number) => `tel:${number};ext=5`,
	(number) => `'tel:${number}`,
	(number) => number.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
];

describe('any writing of a number', () => {
	it('has the same key', () => {
		const written = fc
			.tuple(
				international,
				gapsBetween,
				fc.constantFrom('+', '00', '＋', '+ '),
				fc.constantFrom(...WRAPS),
			)
			.map(([digits, gaps, plus, wrap]) => ({
				digits,
				text: wrap(`${plus}${grouped(digits, gaps)}`),
			}));
		fc.assert(
			fc.property(written, ({ digits, text }) => {
				expect(sameNumberKey(text)).toBe(sameNumberKey(`+${digits}`));
				expect(readPhone(text)).toBe(Number(digits));
				const read = readPhoneToCheck(text);
				expect(read.source).toBe(text);
				expect(read.text?.replace(/[-–.\s]/g, '')).toBe(`+${digits}`);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('is read once and for all: reading what was read changes nothing', () => {
		const cells = fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9 ()/.,;x'="]{0,24}$/));
		fc.assert(
			fc.property(cells, someCode, (cell, countryCode) => {
				const { text } = readPhoneToCheck(cell, countryCode);
				if (text === undefined) return;
				expect(readPhoneToCheck(text, countryCode).text).toBe(text);
				expect(readPhoneToCheck(text).text).toBe(text);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('is read, or refused with an InputError', () => {
		const cell = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.stringMatching(/^[-+0-9 ()/.,;xE'="\n]{0,40}$/),
			fc.anything(),
		);
		fc.assert(
			fc.property(cell, someCode, (value, countryCode) => {
				for (const read of [readPhone, readPhoneToCheck]) {
					try {
						read(value, countryCode);
					} catch (error) {
						expect(error).toBeInstanceOf(InputError);
					}
				}
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe('a number that may lack its country code', () => {
	it.each(['8 (900) 000-00-01', '89000000001', '8 (7172) 00-00-00'])('is %s', (text) => {
		expect(beginsWith8(text)).toBe(true);
	});

	it.each(['+89000000001', '+79000000001', '8900000000', '890000000012', 'call 8', undefined])(
		'is not %s',
		(text) => {
			expect(beginsWith8(text)).toBe(false);
		},
	);
});

/** The ways a spreadsheet writes a whole number. */
const writtenBySpreadsheet = fc
	.record({
		number: digits.filter(isClear),
		sign: fc.constantFrom('.', ','),
		zeros: fc.stringMatching(/^0{0,3}$/),
		e: fc.constantFrom('E', 'e', 'E+', 'e+', 'E+0'),
		before: fc.integer({ min: 1, max: 3 }),
		isScientific: fc.boolean(),
	})
	.map(({ number, sign, zeros, e, before, isScientific }) => ({
		number,
		text: isScientific
			? `${number.slice(0, before)}${sign}${number.slice(before)}${zeros}${e}${number.length - before}`
			: `${number}${sign}0${zeros}`,
	}));

describe('a number that a spreadsheet has written', () => {
	it.each([
		['79000000001.0', '79000000001'],
		[' 79000000001.0\u00a0', '79000000001'],
		['+79000000001.0', '+79000000001'],
		['7.9000000001E+10', '79000000001'],
		['7.9000000000E+10', '79000000000'],
		['0.79000000001E+11', '79000000001'],
		['79000000001E+0', '79000000001'],
		['+7.9000000001E+10', '+79000000001'],
		['0.0E+1', '0'],
	])('as %j is %s', (text, expected) => {
		expect(readSpreadsheetNumber(text)).toBe(expected);
	});

	it.each(['7.9E+10', '7,9E+10', '7.9e10', '7E+10', '7.900000000E+10', '7.90000E+010', '7.9E+999'])(
		'as %j has lost digits',
		(text) => {
			expect(readSpreadsheetNumber(text)).toBe('rounded');
		},
	);

	const OTHERS =
		'79000000001|+7 900 000-00-01|7.900.000.00.00|7 900 000.00|79000000001.5|79000000001.|7.90000000015E+10|7.9E-10|7.9E+|7.9E+1000|7.9 E+10|E+10|.0|';

	it.each(OTHERS.split('|'))('is not %j', (text) => {
		expect(readSpreadsheetNumber(text)).toBeUndefined();
	});

	it('is restored, in a call and in a check', () => {
		fc.assert(
			fc.property(writtenBySpreadsheet, ({ number, text }) => {
				expect(readPhone(text)).toBe(Number(number));
				expect(readPhoneToCheck(text)).toEqual({ source: text, text: number });
				expect(sameNumberKey(text)).toBe(sameNumberKey(number));
			}),
		);
	});

	it('is refused as soon as one digit is missing, in a call and in a check', () => {
		const rounded = fc
			.tuple(digits, fc.constantFrom('.', ','), fc.nat(20))
			.map(([number, sign, kept]) => {
				const fraction = number.slice(1, 1 + (kept % (number.length - 1)));
				return `${number[0]}${fraction && sign}${fraction}E+${number.length - 1}`;
			});
		fc.assert(
			fc.property(rounded, (text) => {
				expect(() => readPhone(text)).toThrow('A spreadsheet has rounded the phone number');
				expect(readPhoneToCheck(text).problem).toMatch(/^unreadable: rounded by a spreadsheet/);
			}),
		);
	});
});
const range = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

/** Written by hand, so that the list does not come from the code under test. */
const MARKS = [
	'\u00ad',
	'\u034f',
	'\u061c',
	'\u180e',
	...range(0x200b, 0x200f),
	...range(0x202a, 0x202e),
	...range(0x2060, 0x2064),
	...range(0x2066, 0x206f),
	...range(0xfe00, 0xfe0f),
	'\ufeff',
	'\u{e0001}',
	...range(0xe0020, 0xe007f),
	...range(0xe0100, 0xe01ef),
];

const codePointOf = (mark: string) => `U+${mark.codePointAt(0)?.toString(16).toUpperCase()}`;

describe('invisible marks', () => {
	it('are all dropped', () => {
		const kept = MARKS.filter((mark) => withoutInvisibleMarks(`7${mark}9`) !== '79');
		expect(kept.map(codePointOf)).toEqual([]);
	});

	it('do not include visible spaces and signs', () => {
		const text = '+7 (900)\u00a0000\u2011\u202f00.01 ext, ７ ٧ é😀\u0007';
		expect(withoutInvisibleMarks(text)).toBe(text);
	});

	const marked = (text: string) =>
		fc
			.array(fc.string({ unit: fc.constantFrom(...MARKS), maxLength: 3 }), {
				minLength: text.length + 1,
				maxLength: text.length + 1,
			})
			.map((gaps) => gaps.map((gap, index) => gap + (text[index] ?? '')).join(''));

	it.each(['+7 (900) 000-00-01', '79000000001', '79000000001.0', '7,9000000001E+10'])(
		'never change how %j is read, wherever they stand',
		(text) => {
			fc.assert(
				fc.property(marked(text), (pasted) => {
					expect(readPhone(pasted)).toBe(79000000001);
					const { source, ...reading } = readPhoneToCheck(pasted);
					expect({ ...reading, source: text }).toEqual(readPhoneToCheck(text));
					expect(source).toBe(pasted);
				}),
			);
		},
	);
});

describe('a default country code', () => {
	it.each([
		['7', '7'],
		[7, '7'],
		[' +44 ', '44'],
		['\u200e375', '375'],
		[1, '1'],
		['998', '998'],
	])('is read from %j', (value, code) => {
		expect(readCountryCode(value)).toBe(code);
	});

	const notCodes = ['8', '0', '00', '007', '77', '4', '1234', '7, 375', 'RU', '7.5', '++7'];

	it.each([...notCodes, 0, -7, 7.5, {}, true])('is refused when it is %j', (value) => {
		expect(thrownBy(() => readCountryCode(value))).toMatchObject({
			message: '“Default Country Code” is not a country code',
			advice: 'Enter its digits, e.g. 7 for Russia and Kazakhstan or 44 for the United Kingdom.',
		});
	});

	it.each([
		['7', '8 (900) 000-00-01', 79000000001],
		['7', '89000000001', 79000000001],
		['7', 89000000001, 79000000001],
		['7', '8.9000000001E+10', 79000000001],
		['7', '="89000000001"', 79000000001],
		['7', '900 000-00-01', 79000000001],
		['7', 9000000001, 79000000001],
		['7', '(495) 000-00-00 доб. 12', 74950000000],
		['7', '(700) 000 00 01', 77000000001],
		['7', '(812) 000-00-01', 78120000001],
		['7', '(8442) 00-00-01', 78442000001],
		['7', 'tel:89000000001', 79000000001],
		['7', '８ ９００ ０００ ００ ０１', 79000000001],
		['1', '(202) 555-0123', 12025550123],
		['1', '202-555-0123 x12', 12025550123],
		['44', '07700 900123', 447700900123],
		['44', '(020) 7946 0958', 442079460958],
		['49', '0151 00000000', 4915100000000],
		['57', '573000000001', 573000000001],
		['375', '029 000-00-00', 375290000000],
		['375', '8 029 000-00-00', 375290000000],
		['375', '8 (029) 000-00-00', 375290000000],
		['375', '80290000000', 375290000000],
		['375', '375 29 000-00-00', 375290000000],
		['380', '050 000 00 00', 380500000000],
		['996', '0700 000 001', 996700000001],
		['998', '90 000 00 01', 998900000001],
	])('%s completes %j', (code, written, phone) => {
		expect(readPhone(written, code)).toBe(phone);
		expect(readPhoneToCheck(written, code)).toEqual({
			source: String(written),
			text: `+${phone}`,
		});
	});

	it.each([
		['7', '7 900 000-00-01'],
		['7', '375 29 000-00-00'],
		['375', '7 900 000-00-01'],
		['998', '79000000001'],
		['1', '1 202 555 0123'],
	])('%s leaves %j as written', (code, written) => {
		expect(readPhoneToCheck(written, code)).toEqual({ source: written, text: written });
	});

	it.each([
		['7', '8 (347) 123-45-6', 'a digit is missing'],
		['7', '7 927 123-45-6', 'a digit is missing'],
		['7', '8-927-123-45-6', 'a digit is missing'],
		['7', '8 (347) 123-45-678', 'a digit too many'],
		['7', '(347) 123-45-678', 'a digit too many'],
		['7', '(8916) 123-45-67', 'a digit too many'],
		['7', '(812) 123-45-6', 'a digit is missing'],
		// In one piece, or without parentheses, the 7 or 8 may be what comes before the area code.
		['7', '7000000001', 'a digit is missing'],
		['7', '8120000001', 'a digit is missing'],
		['7', '700 000 00 01', 'a digit is missing'],
		['7', '000-00-01', 'a digit is missing'],
		['7', '00000001', 'a digit is missing'],
		// Belarus, Japan, Korea and Hong Kong: no area code of country code 7 begins like that.
		['7', '8 029 000-00-00', 'a digit too many'],
		['7', '81300000000', 'a digit too many'],
		['7', '05000000000', 'the country code is missing'],
		['7', '19162345678', 'a digit too many'],
		['7', '9161234567.10', 'no number'],
		['7', '8/900/000-00-01', 'two numbers'],
		['1', '0202555012', 'the country code is missing'],
		['1', '555-0123', 'a digit is missing'],
		['1', '8 495 123-45-6', 'a digit is missing'],
		['1', '7 495 123-45-6', 'a digit is missing'],
		['998', '8 495 123-45-678', 'a digit too many'],
		['1', '79162345678', 'a digit too many'],
		['44', '7700 900123', 'a digit is missing'],
		['44', '+07700 900123', 'the country code is missing'],
		['44', '0800000000000000', 'a digit too many'],
		// A national number keeps its 0 there, or has 06 in front.
		['39', '06 0000 0000', 'the country code is missing'],
		['225', '07 00 00 00 00', 'the country code is missing'],
		['36', '06 30 000 0000', 'the country code is missing'],
		['375', '8 029 000-00-0', 'a digit is missing'],
		['375', '00250000000', 'a digit too many'],
		// 8 came first until 2009 in Ukraine, and until a few years ago in Uzbekistan.
		['380', '8 050 000-00-00', 'a digit too many'],
		['998', '8 90 000 00 01', 'a digit too many'],
	])('%s does not guess at %j', (code, source, why) => {
		expect(readPhoneToCheck(source, code)).toEqual({ source, problem: `unreadable: ${why}` });
		expect(() => readPhone(source, code)).toThrow(InputError);
	});

	it('makes duplicates of all writings of a number', () => {
		const writings = [
			'8 (900) 000-00-01',
			'9000000001',
			'+7 900 000-00-01',
			'79000000001',
			'="8-900-000-00-01"',
		];
		const keys = writings.map((written) =>
			sameNumberKey(readPhoneToCheck(written, '7').text ?? ''),
		);
		expect(new Set(keys)).toEqual(new Set(['79000000001']));
	});

	const codes = fc.constantFrom(...COUNTRY_CODES);

	it('never changes a number with a plus', () => {
		fc.assert(
			fc.property(
				codes,
				fc.constantFrom('+', '＋', '+ ', 'tel:+', '="+', 'wa.me/'),
				fc.stringMatching(/^[1-9]\d{5,14}$/),
				(code, plus, number) => {
					const written = `${plus}${number}`;
					expect(readPhoneToCheck(written, code)).toEqual(readPhoneToCheck(written));
				},
			),
			{ numRuns: 1_000 },
		);
	});

	it('only ever adds itself, and takes away two digits at most', () => {
		fc.assert(
			fc.property(codes, fc.stringMatching(/^\d{6,15}$/), (code, written) => {
				const { text } = readPhoneToCheck(written, code);
				const added = [0, 1, 2].map((start) => `+${code}${written.slice(start)}`);
				expect([undefined, written, `+${written}`, `+${written.slice(2)}`, ...added]).toContain(
					text,
				);
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe('two written numbers (§6.number)', () => {
	it.each([
		['74950000000', '+7 495 000-00-00', true],
		['74950000000', '84950000000', true],
		['8 (800) 000-00-00', '78000000000', true],
		['0074950000000', '+7 495 000-00-00', true],
		['+84950000000', '74950000000', false],
		['0084950000000', '74950000000', false],
		['74950000000', '74950000001', false],
		['74950000000', '7495000000', false],
		['74950000000', '', false],
		['', '', false],
		['none', 'none', false],
	])('%j and %j are the same: %j', (one, other, isSame) => {
		expect(isSameNumber(one, other)).toBe(isSame);
		expect(isSameNumber(other, one)).toBe(isSame);
	});
});
