import fc from 'fast-check';

import { InputError } from '../../../../nodes/CallVerification/api/errors';
import { readVendorId } from '../../../../nodes/CallVerification/api/vendorId';

describe('a call ID', () => {
	it('is any whole number that JSON carries exactly, as a number or as text', () => {
		fc.assert(
			fc.property(
				fc.maxSafeNat(),
				(id) => readVendorId(id) === id && readVendorId(` ${id} `) === id,
			),
		);
	});

	it('above 2^53 is refused instead of rounded', () => {
		const tooLarge = fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n });
		fc.assert(
			fc.property(tooLarge, (id) => {
				expect(() => readVendorId(String(id))).toThrow(InputError);
			}),
		);
		expect(() => readVendorId(2 ** 53)).toThrow(InputError);
	});

	it.each([
		undefined,
		null,
		'',
		' ',
		'1.5',
		1.5,
		-1,
		'1e5',
		'0x10',
		'007',
		true,
		{},
		[5],
		Number.NaN,
	])('is not %j', (value) => {
		expect(() => readVendorId(value)).toThrow(InputError);
	});
});
