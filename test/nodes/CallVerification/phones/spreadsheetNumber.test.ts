import fc from 'fast-check';

import { InputError } from '../../../../nodes/CallVerification/contract/request';
import {
	readPhone,
	readPhoneToCheck,
	sameNumberKey,
} from '../../../../nodes/CallVerification/phones/phone';
import { readSpreadsheetNumber } from '../../../../nodes/CallVerification/phones/spreadsheetNumber';
import { thrownBy } from '../thrown';

const digits = fc
	.tuple(fc.integer({ min: 1, max: 9 }), fc.stringMatching(/^\d{6,14}$/))
	.map(([first, rest]) => `${first}${rest}`)
	.filter((number) => !/^[71]/.test(number) || number.length === 11);

/** The ways a spreadsheet writes a whole number. */
const written = fc
	.record({
		number: digits,
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
		['79000000001,0', '79000000001'],
		['79000000001.00', '79000000001'],
		[' 79000000001.0\u00a0', '79000000001'],
		['+79000000001.0', '+79000000001'],
		['7.9000000001E+10', '79000000001'],
		['7,9000000001E+10', '79000000001'],
		['7.9000000001e10', '79000000001'],
		['7.90000000010E+10', '79000000001'],
		['7.9000000000E+10', '79000000000'],
		['79.000000001E+9', '79000000001'],
		['0.79000000001E+11', '79000000001'],
		['79000000001E+0', '79000000001'],
		['7.9000000001E+010', '79000000001'],
		['+7.9000000001E+10', '+79000000001'],
		['0.0E+1', '0'],
	])('as %j is %s', (text, expected) => {
		expect(readSpreadsheetNumber(text)).toEqual({ isRounded: false, digits: expected });
	});

	it.each(['7.9E+10', '7,9E+10', '7.9e10', '7E+10', '7.900000000E+10', '7.90000E+010', '7.9E+999'])(
		'as %j has lost digits',
		(text) => {
			expect(readSpreadsheetNumber(text)).toEqual({ isRounded: true });
		},
	);

	it.each([
		'79000000001',
		'+7 900 000-00-01',
		'7.900.000.00.00',
		'7 900 000.00',
		'79000000001.5',
		'79000000001.',
		'7.90000000015E+10',
		'7.9E-10',
		'7.9E+',
		'7.9E+1000',
		'7.9 E+10',
		'E+10',
		'.0',
		'',
	])('is not %j', (text) => {
		expect(readSpreadsheetNumber(text)).toBeUndefined();
	});

	it('is restored, in a call and in a check', () => {
		fc.assert(
			fc.property(written, ({ number, text }) => {
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
				expect(readPhoneToCheck(text).problem).toBe(
					'A spreadsheet has rounded the phone number: format the column as text',
				);
			}),
		);
	});

	it('is not called with the zero of its decimal as a digit', () => {
		expect(thrownBy(() => readPhone('123456.0'))).toMatchObject({
			message: 'The phone number has 6 digits instead of 7 to 15',
		});
	});

	it('keeps its leading 8, and a leading 0 is refused', () => {
		expect(readPhone('8.9000000001E+10')).toBe(89000000001);
		expect(() => readPhone('079000000001.0')).toThrow(InputError);
	});
});
