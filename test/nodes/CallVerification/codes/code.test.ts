import fc from 'fast-check';

import { isTypedCodeRight, readCode } from '../../../../nodes/CallVerification/codes/code';
import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { thrownBy } from '../thrown';

describe('a code', () => {
	it('keeps its leading zeros', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 9999 }), (number) => {
				const code = String(number).padStart(4, '0');
				return readCode(code) === code;
			}),
		);
	});

	it('may come as a number of four digits', () => {
		expect(readCode(1234)).toBe('1234');
	});

	it('that is not four digits, or is 0000, is refused (§8.initCall.code)', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.integer(), fc.constantFrom('7', '0000', '12345', '١٢٣٤', '1e3 ')),
				(value) => {
					fc.pre(!/^\s*(?!0000)\d{4}\s*$/.test(String(value)));
					expect(() => readCode(value)).toThrow(InputError);
				},
			),
		);
	});

	it.each([undefined, null, true, {}, ['1234'], 12.5])('is not %j', (value) => {
		expect(() => readCode(value)).toThrow(InputError);
	});

	it('loses the blanks around it', () => {
		expect(readCode(' 0042 ')).toBe('0042');
	});

	it('that is not a code is refused with what to enter', () => {
		expect(thrownBy(() => readCode('7'))).toMatchObject({
			message: 'The code must be four digits from 0001 to 9999',
			advice:
				'Enter exactly four digits, e.g. 0042. In an expression, keep the code as text, so that it keeps its leading zeros.',
		});
	});

	it('is not repeated in the error', () => {
		expect(() => readCode('98765')).not.toThrow(/98765/);
	});
});

describe('two codes', () => {
	const codes = fc.integer({ max: 9999, min: 0 }).map((number) => String(number).padStart(4, '0'));

	it('match when they are equal, and only then', () => {
		fc.assert(
			fc.property(
				codes,
				codes,
				(a, b) => isTypedCodeRight(a, b) === (a === b) && isTypedCodeRight(a, a),
			),
		);
	});

	it('never match if what was typed is not four digits, even if it is the same', () => {
		fc.assert(
			fc.property(
				fc.string().filter((text) => !/^\d{4}$/.test(text)),
				(text) => !isTypedCodeRight(text, text),
			),
		);
	});
});
