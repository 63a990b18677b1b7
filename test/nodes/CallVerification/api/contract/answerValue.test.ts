import { ipAddress, number } from '../../../../../nodes/CallVerification/api/contract/answerValue';

describe('what is neither a number nor written like one', () => {
	it.each([[['5']], [{ a: 1 }], [null], [undefined], ['5 apples']])('stays %j', (value) => {
		expect(number(value)).toBe(value);
	});
});

describe('an address that came as something else than a number', () => {
	it.each([[['1.2.3.4']], [null], [undefined], [true]])('stays %j', (value) => {
		expect(ipAddress(value)).toBe(value);
	});
});
