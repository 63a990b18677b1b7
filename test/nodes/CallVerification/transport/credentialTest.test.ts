import type { ICredentialTestFunctions } from 'n8n-workflow';

import { callVerificationApiTest } from '../../../../nodes/CallVerification/transport/credentialTest';

const SECRET = 'very-secret-key';
const data = {
	baseUrl: 'https://service.test',
	secretKey: SECRET,
	serviceId: '1001',
	authScheme: 'header',
	alternateBaseUrl: 'http://alt.test',
	addressMode: 'primary',
};
const balance = { status: true, rub_balance: 10, tariff: 'a', tariff_name: 'A' };
const answer = (body: unknown, statusCode = 200, headers = {}) => ({ statusCode, headers, body });

type Sent = Readonly<Record<string, unknown>>;

/** Presses the button; `respond` is n8n's older request helper. */
async function press(respond: (options: Sent) => unknown, changes: Partial<typeof data> = {}) {
	const sent: Sent[] = [];
	const request = async (options: Sent) => {
		sent.push(options);
		return await respond(options);
	};
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const credential = { id: '1', name: 'Test', type: 'x', data: { ...data, ...changes } };
	return { sent, result: await callVerificationApiTest.call(context, credential) };
}

const failing = (code: string) => () => {
	throw Object.assign(new Error(`${code} ${SECRET}`), { code });
};

describe('the test of the credential', () => {
	it.each([
		[
			'header',
			{
				method: 'POST',
				headers: expect.objectContaining({ Authorization: `Bearer ${SECRET}.1001` }),
			},
		],
		['body', { method: 'POST', body: { key: SECRET, service_id: '1001' } }],
		['query', { method: 'GET', qs: { key: SECRET, service_id: '1001' } }],
	])('asks for the balance once, with the %s scheme (§4.base)', async (authScheme, expected) => {
		const { sent, result } = await press(() => answer(balance), { authScheme });
		expect(result).toEqual({ status: 'OK', message: 'Connection successful!' });
		expect(sent).toEqual([
			expect.objectContaining({
				...expected,
				uri: 'https://service.test/v1.0/getBalance',
				// Errors are read from the response, and a redirect would take the key elsewhere.
				simple: false,
				resolveWithFullResponse: true,
				followRedirect: false,
			}),
		]);
	});

	it('goes to the alternate address as the node would', async () => {
		const { sent, result } = await press(() => answer(balance), { addressMode: 'alternate' });
		expect(result.status).toBe('OK');
		expect(sent.map(({ uri }) => uri)).toEqual(['http://alt.test/v1.0/getBalance']);
	});

	it.each([
		['a refused key', () => answer({ status: false, error: 'No', code: 401 }, 401), /Secret Key/],
		['one with HTTP 200', () => answer({ status: false, error: 'No', code: 401 }), /Secret Key/],
		['a web page', () => answer('<h1>Hello</h1>'), /Unexpected response.*base URL/],
		['an error page', () => answer('<h1>Not found</h1>', 404), /HTTP status 404.*base URL/],
		['an outage', () => answer('', 503), /HTTP status 503.*itself has a problem/],
		[
			'a redirect',
			() => answer('', 302, { location: 'https://elsewhere.test/x' }),
			/redirects to https:\/\/elsewhere\.test\. The key is never sent/,
		],
		['nobody there', failing('ECONNREFUSED'), /the connection was refused/],
		['an unknown host', failing('ENOTFOUND'), /its host name was not found/],
		['a wrong certificate', failing('CERT_HAS_EXPIRED'), /a secure connection.*key was not sent/],
	])('distinguishes %s, without showing the key', async (_title, respond, message) => {
		const { result } = await press(respond);
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(message) });
		expect(result.message).not.toContain(SECRET);
	});

	it('does not take a mistake of our own for one of the service', async () => {
		await expect(press(() => undefined)).rejects.toThrow(TypeError);
	});

	it('says what is wrong with a value before anything is sent', async () => {
		const { sent, result } = await press(() => answer(balance), { baseUrl: 'service' });
		expect(result).toEqual({ status: 'Error', message: expect.stringContaining('“Base URL”') });
		expect(sent).toEqual([]);
	});
});
