import { readCallbackUrl } from '../../../../nodes/CallVerification/api/callbackUrl';
import { InputError } from '../../../../nodes/CallVerification/api/errors';

describe('a callback URL', () => {
	it.each(['https://crm.test/hook?a=1&b=ü#top', 'http://127.0.0.1:5678/x', 'HTTPS://crm.test'])(
		'is kept as it is: %s',
		(url) => {
			expect(readCallbackUrl(url)).toBe(url);
		},
	);

	it.each(['', 'crm.test/hook', 'ftp://crm.test', 'javascript:alert(1)', 'https://', undefined, 5])(
		'is not %j',
		(value) => {
			expect(() => readCallbackUrl(value)).toThrow(InputError);
		},
	);
});
