import fc from 'fast-check';

import { callStateOf } from '../../../../nodes/CallVerification/codes/callState';

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
