import fc from 'fast-check';

import { readCountryCode } from '../../../../nodes/CallVerification/phones/countryCode';
import {
	readPhone,
	readPhoneToCheck,
	sameNumberKey,
} from '../../../../nodes/CallVerification/phones/phone';
import { thrownBy } from '../thrown';

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

	it.each([
		'8',
		0,
		'0',
		'00',
		'007',
		'77',
		'4',
		'1234',
		'7, 375',
		'RU',
		'7.5',
		-7,
		7.5,
		'++7',
		{},
		true,
	])('is refused when it is %j', (value) => {
		expect(thrownBy(() => readCountryCode(value))).toMatchObject({
			message: '“Default Country Code” is not the calling code of a country',
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
		['7', '700 000 00 01', 77000000001],
		['7', 'tel:89000000001', 79000000001],
		['7', '８ ９００ ０００ ００ ０１', 79000000001],
		['1', '(202) 555-0123', 12025550123],
		['1', '202-555-0123 x12', 12025550123],
		['44', '07700 900123', 447700900123],
		['44', '(020) 7946 0958', 442079460958],
		['49', '0151 00000000', 4915100000000],
		['375', '029 000-00-00', 375290000000],
		['380', '050 000 00 00', 380500000000],
	])('%s completes %j', (code, written, phone) => {
		expect(readPhone(written, code)).toBe(phone);
		expect(readPhoneToCheck(written, code)).toEqual({
			source: String(written),
			text: `+${phone}`,
		});
	});

	it.each([
		['7', '+7 900 000-00-01'],
		['7', '7 900 000-00-01'],
		['7', '+8 900 000-00-01'],
		['7', '+900 000 0001'],
		['7', '375290000000'],
		['7', '49151000000'],
		['7', '380500000000'],
		['7', '4915100000000'],
		['7', '000-00-01'],
		// Belarus, Japan, Korea and Hong Kong: no area code of country code 7 begins like that.
		['7', '8 029 000-00-00'],
		['7', '81300000000'],
		['7', '82200000000'],
		['7', '85200000000'],
		['7', '05000000000'],
		['1', '1 202 555 0123'],
		['1', '0202555012'],
		['1', '555-0123'],
		['1', '447700900123'],
		['44', '447700900123'],
		['44', '7700 900123'],
		['44', '+07700 900123'],
		['44', '0123'],
		['44', '0800000000000000'],
		// A national number keeps its 0 there, or has 06 in front.
		['39', '06 0000 0000'],
		['225', '07 00 00 00 00'],
		['229', '01 00 00 00 00'],
		['242', '06 000 0000'],
		['378', '0549 000000'],
		['36', '06 30 000 0000'],
		['7', 'call me'],
		['7', '8/900/000-00-01'],
	])('%s leaves %j as written', (code, written) => {
		expect(readPhoneToCheck(written, code)).toEqual({ source: written, text: written });
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

	const codes = fc.constantFrom(
		'1',
		'7',
		'20',
		'30',
		'33',
		'36',
		'39',
		'44',
		'49',
		'86',
		'375',
		'380',
		'998',
	);

	it('never changes a number with a plus or 00', () => {
		const digits = fc.stringMatching(/^[1-9]\d{5,14}$/);
		fc.assert(
			fc.property(
				codes,
				fc.constantFrom('+', '00', '＋', '+ ', 'tel:+', '="+', 'wa.me/'),
				digits,
				(code, plus, number) => {
					const written = `${plus}${number}`;
					expect(readPhoneToCheck(written, code)).toEqual(readPhoneToCheck(written));
				},
			),
			{ numRuns: 1_000 },
		);
	});

	it('never changes a number that has a country code and no plus', () => {
		// Ten digits, or eleven after an 8, are local with 7; ten with 1; and no country code begins with 0.
		const number = fc.stringMatching(/^[1-9]\d{5,14}$/);
		fc.assert(
			fc.property(codes, number, (code, written) => {
				const isLocal =
					(written.length === 10 && (code === '7' || code === '1')) ||
					(written.length === 11 && code === '7' && written.startsWith('8'));
				fc.pre(!isLocal);
				expect(readPhoneToCheck(written, code)).toEqual({ source: written, text: written });
			}),
			{ numRuns: 1_000 },
		);
	});

	it('only ever adds itself, and takes away one digit at most', () => {
		fc.assert(
			fc.property(codes, fc.stringMatching(/^\d{6,15}$/), (code, written) => {
				const { text } = readPhoneToCheck(written, code);
				const added = [`+${code}${written}`, `+${code}${written.slice(1)}`];
				expect([written, `+${written.slice(2)}`, ...added]).toContain(text);
			}),
			{ numRuns: 1_000 },
		);
	});
});
