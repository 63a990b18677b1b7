import fc from 'fast-check';

import { callStateOf, readVendorId } from '../../../../nodes/CallVerification/codes/call';
import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { thrownBy } from '../thrown';

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
		expect(thrownBy(() => readVendorId(2 ** 53))).toMatchObject({
			message:
				'The call ID is above 9007199254740991 and would be rounded when sent to the service',
		});
	});

	const ADVICE =
		'Use the “vendor_id” that “Call: Start” or “Inbound Call: Get Number to Call” returned, e.g. {{ $json.vendor_id }}.';

	it.each(['1.5', 1.5, -1, '1e5', '0x10', '007', true, {}, [5], Number.NaN])(
		'is not %j',
		(value) => {
			const message = 'The call ID is not a whole number';
			expect(thrownBy(() => readVendorId(value))).toMatchObject({ message, advice: ADVICE });
		},
	);

	it.each([undefined, null, '', ' '])('is missing in %j', (value) => {
		const message = 'The call ID is empty';
		expect(thrownBy(() => readVendorId(value))).toMatchObject({ message, advice: ADVICE });
	});
});

describe('the state of a call', () => {
	it.each([
		[-1, 'checking'],
		[0, 'failed'],
		[1, 'completed'],
	])('of status %i is “%s”', (status, state) => {
		expect(callStateOf({ status: true, call_status: status })).toBe(state);
	});

	it('of any other status is “unknown” (§3.unknown)', () => {
		fc.assert(
			fc.property(fc.anything(), (status) => {
				fc.pre(status !== -1 && status !== 0 && status !== 1);
				return callStateOf({ status: true, call_status: status }) === 'unknown';
			}),
		);
	});

	it('is “failed” if the record says only that the call was not connected', () => {
		expect(callStateOf({ status: false })).toBe('failed');
		expect(callStateOf({ status: false, call_status: 1 })).toBe('completed');
	});
});
