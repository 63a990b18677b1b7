import { Readable } from 'node:stream';
import { inspect } from 'node:util';

import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	INodeParameters,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { CallVerificationApi } from '../../credentials/CallVerificationApi.credentials';

const type = new CallVerificationApi();
const credential = (values: ICredentialDataDecryptedObject = {}) => ({
	baseUrl: 'https://service.test',
	secretKey: 'sk',
	serviceId: '4711',
	authScheme: 'header',
	...values,
});
const post = (body: IHttpRequestOptions['body'] = { phone: 7 }): IHttpRequestOptions => ({
	url: 'https://service.test/v1.0/x',
	method: 'POST',
	body,
});

describe('the credential', () => {
	it('has the six fields whose names are fixed, and defaults that work', () => {
		const fields = type.properties.filter((property) => property.type !== 'notice');
		expect(Object.fromEntries(fields.map((field) => [field.name, field.default]))).toEqual({
			baseUrl: '',
			secretKey: '',
			serviceId: '',
			authScheme: 'header',
			alternateBaseUrl: '',
			addressMode: 'primary',
		});
	});

	it('hides the key and asks for what is needed', () => {
		const field = (name: string) => type.properties.find((property) => property.name === name);
		expect(field('secretKey')?.typeOptions).toEqual({ password: true });
		expect(['baseUrl', 'secretKey', 'serviceId'].every((name) => field(name)?.required)).toBe(true);
	});

	const conditionalFor = (values: ICredentialDataDecryptedObject) =>
		type.properties
			.filter((property) => property.displayOptions !== undefined)
			.filter((property) =>
				NodeHelpers.displayParameter(credential(values) as INodeParameters, property, null, null),
			)
			.map(({ name }) => name);

	it('warns where the key travels unencrypted, and asks for the alternate address only there', () => {
		expect(conditionalFor({ addressMode: 'primary' })).toEqual([]);
		expect(conditionalFor({ addressMode: 'alternate' }).sort()).toEqual([
			'alternateBaseUrl',
			'alternateNotice',
		]);
	});
});
describe('authenticating', () => {
	const headers = { Authorization: 'Bearer sk.4711' };
	const fields = { key: 'sk', service_id: '4711' };
	const GET = { url: 'https://service.test/v1.0/x', method: 'GET' } as const;

	it.each<[string, string, IHttpRequestOptions, Partial<IHttpRequestOptions>]>([
		['joins key and service ID by a single dot', 'header', post(), { headers, body: { phone: 7 } }],
		['adds two fields to a POST', 'body', post(), { body: { phone: 7, ...fields } }],
		['sends a header with a GET, which has no body', 'body', { ...GET }, { ...GET, headers }],
		[
			'takes a request without a method for a GET, as n8n does',
			'body',
			{ url: GET.url },
			{ method: undefined, headers },
		],
		['turns a POST into a GET', 'query', post(), { method: 'GET', qs: { phone: 7, ...fields } }],
	])('%s with the %s scheme, and adds nothing else', async (_what, authScheme, asked, expected) => {
		const sent = await type.authenticate(credential({ authScheme }), asked);
		const { url, method, headers: own, body, qs } = sent;
		expect({ url, method, headers: own, body, qs }).toEqual({
			url: GET.url,
			method: 'POST',
			...expected,
		});
	});
	it.each(['header', 'body', 'query'])(
		'sends no space or line break that was pasted with key and service ID (%s)',
		async (authScheme) => {
			const pasted = { authScheme, secretKey: ' sk\n', serviceId: '4711\r\n' };
			expect(await type.authenticate(credential(pasted), post())).toEqual(
				await type.authenticate(credential({ authScheme }), post()),
			);
		},
	);

	it('sends an empty POST as JSON all the same', async () => {
		const request = await type.authenticate(credential(), post({}));
		expect(request.body).toBe('{}');
		expect(request.headers).toMatchObject({ 'Content-Type': 'application/json' });
	});

	it.each([
		['text', { body: '<phone>7</phone>' }],
		['a list', { body: [7] }],
		['a file', { body: Buffer.from('{}') }],
		['a stream', { body: Readable.from(['{}']) }],
		['a form', { form: { phone: '7' } }],
		['an empty form', { form: {} }],
		['a form with files', { formData: { phone: '7' } }],
		['a form of the newer kind', { body: new URLSearchParams({ phone: '7' }) }],
	])('leaves %s unchanged, and the JSON Body scheme refuses it', async (_what, written) => {
		const request = {
			url: 'https://service.test/v1.0/x',
			method: 'POST',
			headers: { 'content-type': 'text/plain' },
			...written,
		} as IHttpRequestOptions;

		const { headers, ...withHeader } = await type.authenticate(credential(), request);
		expect(withHeader).toMatchObject({ method: 'POST', ...written });
		expect(headers).toEqual({ 'content-type': 'text/plain', Authorization: 'Bearer sk.4711' });

		const withQuery = await type.authenticate(credential({ authScheme: 'query' }), request);
		expect(withQuery).toMatchObject({ ...request, qs: { key: 'sk', service_id: '4711' } });

		await expect(
			type.authenticate(credential({ authScheme: 'body' }), request),
		).rejects.toMatchObject({
			message: 'With the authentication scheme “JSON Body”, the body must be a JSON object',
			description: expect.stringContaining('“Body Content Type”'),
		});
	});

	it.each([
		['no body', {}],
		['an empty text', { body: '' }],
		['null', { body: null }],
		['an object without a prototype', { body: Object.create(null) as object }],
	])('treats %s as an empty JSON object', async (_what, written) => {
		const request = { ...post(), body: undefined, ...written } as IHttpRequestOptions;
		const withBody = await type.authenticate(credential({ authScheme: 'body' }), request);
		expect(withBody.body).toEqual({ key: 'sk', service_id: '4711' });
	});

	it.each(['header', 'body', 'query'])(
		'does not change the request it was given (%s)',
		async (authScheme) => {
			const request = { ...post(), qs: { a: 1 }, headers: { b: '2' } };
			const before = structuredClone(request);
			await type.authenticate(credential({ authScheme }), request);
			expect(request).toEqual(before);
		},
	);
});

describe('the key', () => {
	const base = { baseUrl: 'https://service.test/api/' };

	it.each([
		['to the service', base, { url: 'https://service.test/api/v1.0/getBalance' }],
		['to the service, spelled differently', base, { url: 'HTTPS://SERVICE.test:443/x/../api/y' }],
		[
			'to the service, as the Test button asks',
			base,
			{ baseURL: 'https://service.test/api', url: '/v1.0/x' },
		],
		['to the service, at its base URL alone', {}, { baseURL: 'https://service.test' }],
		['to the service, as the HTTP Request node asks', base, { uri: 'https://service.test/api/x' }],
		[
			'to the alternate address where that is used',
			{ ...base, alternateBaseUrl: 'http://alt.test', addressMode: 'alternate' },
			{ url: 'http://alt.test/v1.0/x' },
		],
	])('goes %s', async (_where, values, request) => {
		const sent = await type.authenticate(credential(values), request as IHttpRequestOptions);
		expect(sent.headers).toEqual({ Authorization: 'Bearer sk.4711' });
	});

	it.each([
		['https://elsewhere.test/api/x', {}],
		['http://service.test/api/x', {}],
		['https://service.test:8443/api/x', {}],
		['https://service.test.elsewhere.test/api/x', {}],
		['https://service.test@elsewhere.test/api/x', {}],
		['https://elsewhere.test\\@service.test/api/x', {}],
		['https://service.test/other', {}],
		['https://service.test/api/../other', {}],
		['https://service.test/apix', {}],
		['//elsewhere.test/api/x', {}],
		['/api/x', {}],
		['', {}],
		['http://alt.test/v1.0/x', { alternateBaseUrl: 'http://alt.test' }],
	])('does not go to %j, whichever node sends it', async (address, values) => {
		for (const authScheme of ['header', 'body', 'query']) {
			for (const request of [{ url: address }, { uri: address }, { baseURL: address, url: '' }]) {
				const asked = type.authenticate(
					credential({ ...base, authScheme, ...values }),
					request as IHttpRequestOptions,
				);
				await expect(asked).rejects.toThrow('only sent to the address in the credential');
			}
		}
	});
});

describe('the key is sent', () => {
	const SCHEMES = ['header', 'body', 'query'];
	const url = 'https://service.test/v1.0/x';
	/** Both of n8n's request forms, in each scheme. */
	const askWith = (options: object) =>
		SCHEMES.flatMap((authScheme) =>
			[{ url }, { uri: url }].map(
				async (address) =>
					await type.authenticate(credential({ authScheme }), {
						method: 'POST',
						...address,
						...options,
					} as IHttpRequestOptions),
			),
		);

	it.each([
		{ proxy: 'http://elsewhere.test:3128' },
		{ proxy: 'elsewhere.test' },
		{ proxy: { host: 'elsewhere.test', port: 3128 } },
		{ proxy: {} },
		{ agent: {} },
		{ httpAgent: {} },
		{ httpsAgent: {} },
		{ socketPath: '/tmp/elsewhere' },
		{ lookup: () => '192.0.2.1' },
	])('through no proxy set in the node: %j', async (options) => {
		for (const asked of askWith(options)) {
			await expect(asked).rejects.toMatchObject({
				message: 'The key of this credential is not sent through a proxy set in the node',
				description: expect.stringContaining('“Proxy”'),
			});
		}
	});

	it.each([
		{ rejectUnauthorized: false },
		{ rejectUnauthorized: 0 },
		{ strictSSL: false },
		{ skipSslCertificateValidation: true },
		{ skipSslCertificateValidation: 'true' },
		{ agentOptions: { rejectUnauthorized: false } },
		{ agentOptions: { ca: 'elsewhere' } },
		{ agentOptions: { checkServerIdentity: () => undefined } },
		{ agentOptions: { servername: 'elsewhere.test' } },
		{ agentOptions: { host: 'elsewhere.test' } },
		{ agentOptions: { port: 8443 } },
		{ agentOptions: { lookup: () => '192.0.2.1' } },
		{ agentOptions: { socketPath: '/tmp/elsewhere' } },
		{ agentOptions: { secureContext: {}, cert: 'mine' } },
	])('never with changed certificate checks: %j', async (options) => {
		for (const asked of askWith(options)) {
			await expect(asked).rejects.toMatchObject({
				message: 'The key of this credential is not sent without n8n’s own certificate checks',
				description: expect.stringContaining('“Ignore SSL Issues”'),
			});
		}
	});

	it.each([{ Host: 'elsewhere.test' }, { host: 'service.test' }, { ' hOST ': 'elsewhere.test' }])(
		'never to another server behind the same address: %j',
		async (headers) => {
			for (const asked of askWith({ headers })) {
				await expect(asked).rejects.toThrow('is not sent with a “Host” header');
			}
		},
	);

	it.each(['TRACE', 'trace'])('never with %s, which echoes the request', async (method) => {
		for (const asked of askWith({ method })) {
			await expect(asked).rejects.toThrow('is not sent with TRACE');
		}
	});

	it('along no redirect, in whichever spelling the node asks for it', async () => {
		const follow = { followRedirect: true, followAllRedirects: true, maxRedirects: 21 };
		for (const asked of askWith({ ...follow, disableFollowRedirect: false })) {
			expect(await asked).toMatchObject({
				disableFollowRedirect: true,
				followRedirect: false,
				followAllRedirects: false,
				maxRedirects: 0,
			});
		}
	});

	it.each([
		['https://elsewhere.test', 'https:service.test/v1.0/x'],
		['https://elsewhere.test', url],
		['https://service.test', '//elsewhere.test/v1.0/x'],
		['https://service.test', '/\\elsewhere.test/v1.0/x'],
		['https://service.test', 'https://elsewhere.test/v1.0/x'],
	])('never to %s and %s, which two parsers read differently', async (baseURL, address) => {
		for (const asked of askWith({ baseURL, url: address, uri: url })) {
			await expect(asked).rejects.toThrow('only sent to the address in the credential');
		}
	});

	it.each([
		['the settings of the HTTP Request node', { rejectUnauthorized: true, gzip: true }],
		['settings that are off', { proxy: '', skipSslCertificateValidation: false }],
		['settings that are off in another way', { proxy: null, agent: false }],
		['no settings', { proxy: undefined, agentOptions: undefined, rejectUnauthorized: undefined }],
		['no settings deeper down', { agentOptions: { ca: undefined } }],
		['a client certificate', { agentOptions: { cert: 'c', key: 'k', passphrase: 'p' } }],
	])('as usual with %s', async (_what, options) => {
		for (const asked of askWith(options)) {
			expect(await asked).toMatchObject(options);
		}
	});

	it('but never appears in a refusal', async () => {
		const secretKey = 'sk-live-Zq8vN2xT5wLb7RkD';
		const refused = [
			{ url: `https://elsewhere.test/${secretKey}` },
			{ url, proxy: `http://${secretKey}@elsewhere.test` },
			{ url, agentOptions: { ca: secretKey } },
			{ url, headers: { host: secretKey } },
		];
		for (const request of refused) {
			const error: unknown = await type
				.authenticate(credential({ secretKey }), request as IHttpRequestOptions)
				.catch((thrown: unknown) => thrown);
			expect(error).toBeInstanceOf(Error);
			expect(inspect(error)).not.toContain(secretKey);
		}
	});
});
