import { isSameNumber } from '../../../../nodes/CallVerification/phones/numberSpelling';

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
