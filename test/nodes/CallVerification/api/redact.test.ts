import fc from 'fast-check';

import {
	createRedactor,
	excerpt,
	maskNumbers,
} from '../../../../nodes/CallVerification/api/redact';

describe('words that come from outside', () => {
	it('lose the secret key, however it is written', () => {
		const secret = fc.string({ minLength: 4, unit: 'grapheme' });
		fc.assert(
			fc.property(secret, (key) => {
				fc.pre(!'•before after'.includes(key));
				const redact = createRedactor(key);
				return [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)].every(
					(spelling) => !redact(`before ${spelling} after`).includes(spelling),
				);
			}),
		);
	});

	it('are left alone by an empty key', () => {
		expect(createRedactor('')('unchanged')).toBe('unchanged');
	});

	it.each([
		['79001234567 is wrong', '•••67 is wrong'],
		['+7 (900) 123-45-67', '+•••67'],
		['1234567', '•••67'],
		['123456', '123456'],
		['code 401', 'code 401'],
	])('keep two digits of a number: %j', (text, masked) => {
		expect(maskNumbers(text)).toBe(masked);
	});

	it('are cut to one line', () => {
		expect(excerpt(' a\n\n b ')).toBe('a b');
		expect(excerpt('x'.repeat(500))).toBe(`${'x'.repeat(160)}…`);
	});
});
