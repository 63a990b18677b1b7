import fc from 'fast-check';

import { InputError } from '../../../../nodes/CallVerification/contract/request';
import {
	beginsWith8,
	readPhone,
	readPhoneToCheck,
	sameNumberKey,
} from '../../../../nodes/CallVerification/phones/phone';
import { thrownBy } from '../thrown';

const NUMBER = '+7 900 000-00-01';

describe('a number is read although it is written', () => {
	it.each([
		['with an apostrophe', `'${NUMBER}`, NUMBER],
		['with an apostrophe that a word processor made', `’${NUMBER}`, NUMBER],
		['between apostrophes', `'${NUMBER}'`, NUMBER],
		['as the text of a formula', `="${NUMBER}"`, NUMBER],
		['as the text of a formula, without a plus', '="79000000001"', '79000000001'],
		['as a formula whose quotes were doubled', `"=""${NUMBER}"""`, NUMBER],
		['as a formula without quotes', '=+79000000001', '+79000000001'],
		['between quotes', `"${NUMBER}"`, NUMBER],
		['as a formula after an apostrophe', `'="${NUMBER}"`, NUMBER],
		['as the decimal of a formula', '="79000000001.0"', '79000000001'],
		['as a link', 'tel:+7-900-000-00-01', '+7-900-000-00-01'],
		['as a link with an extension', 'tel:+79000000001;ext=12', '+79000000001'],
		['as a link with more', 'tel:79000000001;ext=12;phone-context=a.example', '79000000001'],
		['as a link in capitals', 'TEL: +79000000001', '+79000000001'],
		['as an encoded link', 'tel:%2B7%20900%200000001', '+7 900 0000001'],
		['as a link of another kind', 'callto:+79000000001', '+79000000001'],
		['after a word', `Тел.: ${NUMBER}`, NUMBER],
		['as a WhatsApp link', 'wa.me/79000000001', '+79000000001'],
		['as a WhatsApp link with a plus', 'https://wa.me/+79000000001', '+79000000001'],
		[
			'as a WhatsApp link with text',
			'https://wa.me/79000000001?text=No.%2012345678',
			'+79000000001',
		],
		['as a WhatsApp link with a slash', 'http://www.wa.me/79000000001/', '+79000000001'],
		[
			'as an old WhatsApp link',
			'https://api.whatsapp.com/send?phone=79000000001&text=Hi',
			'+79000000001',
		],
		[
			'as an old WhatsApp link, text first',
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
		['with 00', '0079000000001', '+79000000001'],
		['with 00 and spaces', ' 00 7 (900) 000-00-01', '+7 (900) 000-00-01'],
		['with 00 and parentheses', '00(7)900-000-00-01', '+(7)900-000-00-01'],
		['with 00 in full-width characters', '００７９００００００００１', '+79000000001'],
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

	it.each([
		'=SUM(A1:A9)',
		"'n/a",
		'"call me"',
		'tel:',
		'tel:none',
		'https://wa.me/message/ABCDEFG1234567',
		'https://example.com/79000000001',
		'ext. 12',
		'box 12',
		'10x12',
		'491511234x567',
		'00',
		'000',
		'0042',
		'00123456',
	])('while any other text stays as typed: %j', (text) => {
		expect(readPhoneToCheck(text)).toEqual({ source: text, text });
		expect(() => readPhone(text)).toThrow(InputError);
	});
});

describe('two numbers in one cell', () => {
	it.each([
		'+7 900 000-00-01, +7 900 000-00-02',
		'+79000000001,+79000000002',
		'89000000001; 89000000002',
		'89000000001/89000000002',
		'8 (900) 000-00-01 / 8 (900) 000-00-02',
		'8 900 000-00-01\n8 900 000-00-02',
		'89000000001\r\n89000000002',
		'8 900 000-00-01 и 8 900 000-00-02',
		'+7 900 000-00-01 and +7 900 000-00-02',
		'9000000001 or 9000000002',
		'+7 900 000-00-01 +7 900 000-00-02',
		'+79000000001+79000000002',
		'8 900 000-00-01 8 900 000-00-02',
		'89000000001 89000000002',
		'8 900 000-00-01 (8 900 000-00-02)',
		'8 (495) 000-00-00, 000-00-01',
		'220-00-00 220-00-01',
		'2200000 2200001',
		'="+79000000001, +79000000002"',
		'tel:+79000000001;tel:+79000000002',
		'tel:+79000000001;+79000000002',
		'https://wa.me/79000000001 https://wa.me/79000000002',
		'+7 900 000-00-01 доб. 12, +7 900 000-00-02',
		'+7 900 000-00-01, +7 900 000-00-02 ext. 12',
		'８９００００００００１，８９００００００００２',
		'mobile 89000000001, office 84950000000',
	])('are an invalid number, and no call: %j', (source) => {
		expect(readPhoneToCheck(source)).toEqual({ source, problem: 'Two numbers in one cell' });
		expect(readPhoneToCheck(source, '7').problem).toBe('Two numbers in one cell');
		expect(thrownBy(() => readPhone(source, '7'))).toMatchObject({
			message: 'The phone number contains two numbers',
			advice: 'Enter only one of them.',
		});
	});

	it.each([
		'8/900/000-00-01',
		'(495) 000-00-00',
		'+7 900\n000-00-01',
		'8-900-000-00-01',
		'8.900.000.00.01',
		'+7 (495) 000-00-00/01',
		'00 86 138 0000 0000',
		'+62 812 3456 78901',
		'+123456789012345',
		'+1234567 89012345',
		'0000000 or 12',
		'7+9000000001',
		'++79000000001',
		'4000000000000000',
	])('are not %j', (source) => {
		expect(readPhoneToCheck(source).problem).toBeUndefined();
	});

	const local = fc.stringMatching(/^[1-9]\d{6,10}$/);
	const betweenThem = fc.constantFrom(
		', ',
		',',
		';',
		' / ',
		'/',
		'\n',
		' и ',
		' or ',
		' ',
		'|',
		' +',
		'\t',
	);

	it('are never merged into one', () => {
		fc.assert(
			fc.property(local, betweenThem, local, (one, between, other) => {
				const cell = `${one}${between}${other}`;
				expect(readPhoneToCheck(cell).problem).toBe('Two numbers in one cell');
				expect(() => readPhone(cell, '7')).toThrow(InputError);
			}),
		);
	});
});

/** With its country code, and between 7 and 13 digits. */
const international = fc
	.stringMatching(/^[1-9]\d{6,12}$/)
	.filter((digits) => !/^[71]/.test(digits) || digits.length === 11);

const grouped = (digits: string, gaps: readonly string[]) =>
	[...digits].map((digit, index) => digit + (gaps[index] ?? '')).join('');
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
			}),
			{ numRuns: 1_000 },
		);
	});

	it('is read once and for all: reading what was read changes nothing', () => {
		const code = fc.constantFrom(undefined, '7', '1', '44', '39');
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9 ()/.,;x'="]{0,24}$/)),
				code,
				(cell, countryCode) => {
					const { text } = readPhoneToCheck(cell, countryCode);
					if (text === undefined) return;
					expect(readPhoneToCheck(text, countryCode).text).toBe(text);
					expect(readPhoneToCheck(text).text).toBe(text);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it('is read, or refused with an InputError', () => {
		const cell = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.stringMatching(/^[-+0-9 ()/.,;xE'="\n]{0,40}$/),
			fc.anything(),
		);
		const code = fc.constantFrom(undefined, '7', '1', '44', '39');
		fc.assert(
			fc.property(cell, code, (value, countryCode) => {
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
