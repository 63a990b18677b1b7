import { readCallbackUrl } from '../../../../nodes/CallVerification/inbound/callbackUrl';
import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { thrownBy } from '../thrown';

describe('a callback URL', () => {
	it.each(['https://crm.test/hook?a=1&b=ü#top', 'http://127.0.0.1:5678/x', 'HTTPS://crm.test'])(
		'is kept unchanged: %s',
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

	it('loses the blanks around it', () => {
		expect(readCallbackUrl(' https://crm.test/hook\n')).toBe('https://crm.test/hook');
	});

	it('that is not a URL is refused with what to enter', () => {
		expect(thrownBy(() => readCallbackUrl('view-source:https://crm.test'))).toMatchObject({
			message: '“Callback URL” is not a complete URL',
			advice:
				'Enter a complete URL that the service can reach from the internet, e.g. https://example.com/inbound-call.',
		});
	});
});
