import type { IExecuteFunctions } from 'n8n-workflow';

import {
	accountDigest,
	connect,
	readAccess,
	readBaseUrl,
	readCredential,
} from '../../../../nodes/CallVerification/transport/credential';
import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { thrownBy } from '../thrown';

const credential = (values: object = {}) => ({
	baseUrl: 'https://one.test',
	alternateBaseUrl: 'http://two.test',
	addressMode: 'primary',
	secretKey: 'key',
	...values,
});

describe('the base URL', () => {
	it.each([
		['https://one.test', 'https://one.test'],
		['https://one.test/', 'https://one.test'],
		['https://one.test///', 'https://one.test'],
		['https://one.test///v1.0', 'https://one.test'],
		['https://one.test/v1.0/mirror', 'https://one.test/v1.0/mirror'],
		['HTTPS://o', 'HTTPS://o'],
		['https://one.test/v1.0', 'https://one.test'],
		['https://one.test/v1.0/', 'https://one.test'],
		[' http://one.test:8080/api ', 'http://one.test:8080/api'],
	])('§1.1 %j is %s', (written, expected) => {
		expect(readBaseUrl(written, 'Base URL')).toBe(expected);
	});

	it.each([
		'',
		'one.test',
		'ftp://one.test',
		'view-source:https://one.test',
		'https://',
		'https://one.test?x=1',
		'https://one.test#x',
		undefined,
		5,
	])('is not %j', (value) => {
		expect(() => readBaseUrl(value, 'Base URL')).toThrow(InputError);
	});

	it('that is not a URL is named, with what to enter', () => {
		expect(thrownBy(() => readBaseUrl('x', 'Base URL'))).toMatchObject({
			message: '“Base URL” in the credential is not a complete URL',
			advice:
				'Open the credential and enter only the address, starting with https://, e.g. https://api.example.com.',
		});
	});

	it.each([
		['https://one.test?a=1', '?'],
		['https://one.test/v1.0/getBalance?key=sk-live&service_id=1', '?'],
		['https://one.test/#/services?a=1', '#'],
	])('%j is told what comes after it, without repeating it', (written, sign) => {
		expect(thrownBy(() => readBaseUrl(written, 'Base URL'))).toMatchObject({
			message: `“Base URL” in the credential has a “${sign}” after the address`,
			advice: `Open the credential and remove everything from “${sign}” on.`,
		});
	});
});

describe('the address in use', () => {
	it.each([
		['primary', 'https://one.test'],
		['alternate', 'http://two.test'],
		['anything else', 'https://one.test'],
		[undefined, 'https://one.test'],
	])('with the mode %s is %s', (addressMode, baseUrl) => {
		expect(readAccess(credential({ addressMode })).baseUrl).toBe(baseUrl);
	});

	it.each([
		['alternate', 'Alternate Base URL', { alternateBaseUrl: '' }],
		['primary', 'Base URL', { baseUrl: '' }],
	])('with the mode %s needs “%s”', (addressMode, field, values) => {
		expect(() => readAccess(credential({ addressMode, ...values }))).toThrow(
			`“${field}” in the credential is not a complete URL`,
		);
	});
	it.each([undefined, null, 'nothing'])('cannot be read from %s', (value) => {
		expect(() => readAccess(value)).toThrow(InputError);
	});

	it('needs no alternate one otherwise', () => {
		expect(readAccess(credential({ alternateBaseUrl: 'nonsense' })).baseUrl).toBe(
			'https://one.test',
		);
	});
});

describe.each(['secretKey', 'serviceId'] as const)('the %s', (field) => {
	it.each([
		['key', 'key'],
		[' key\n', 'key'],
		['\ufeff\tkey\u00a0\r\n', 'key'],
		[5, '5'],
		[undefined, ''],
		[null, ''],
	])('%j is read as %j', (value, expected) => {
		expect(readAccess(credential({ [field]: value }))[field]).toBe(expected);
	});
});

describe('a fingerprint of the account', () => {
	it('stays the same across releases, so that no call is made twice because of an update', () => {
		const digest = accountDigest(readAccess(credential()));
		expect(digest('call', 79000000001)).toBe('-g4vfJzeBlALTIROJ4hbtBiaJEThsOkijlHnmqLItAA');
	});
});

describe('a connection', () => {
	/** n8n's context of a run, and what its request helper gets. */
	function contextOf(values: object = {}) {
		const asked: Array<{ signal: unknown; others: unknown[] }> = [];
		const getCredentials = jest.fn(async () => credential(values));
		const debug = jest.fn();
		const context = {
			getCredentials,
			logger: { debug },
			getExecutionCancelSignal: () => 'of the run',
			helpers: {
				async httpRequestWithAuthentication(this: IExecuteFunctions, ...others: unknown[]) {
					asked.push({ signal: this.getExecutionCancelSignal(), others });
				},
			},
		};
		return { context: context as unknown as IExecuteFunctions, asked, getCredentials, debug };
	}

	it('has n8n read the credential once, however often it is needed', async () => {
		const { context, asked, getCredentials } = contextOf();
		const { httpRequest } = await connect(context);
		const http = { url: 'https://one.test/v1.0/x' };
		await httpRequest(http, undefined);
		await httpRequest(http, undefined);
		await readCredential(context);
		const credentialsDecrypted = expect.objectContaining({ data: credential() }) as unknown;
		const others = ['callVerificationApi', http, { credentialsDecrypted }];
		expect(asked).toMatchObject([{ others }, { others }]);
		expect(getCredentials).toHaveBeenCalledTimes(1);
	});

	it('is closed by the signal of its own request, not by that of the run', async () => {
		const { context, asked } = contextOf();
		const { httpRequest } = await connect(context);
		const { signal } = new AbortController();
		await httpRequest({ url: 'https://one.test/v1.0/x' }, signal);
		expect(asked.map(({ signal: given }) => given)).toEqual([signal]);
	});

	it.each([
		['query', 'GET'],
		['header', 'POST'],
	])('logs a POST, with the scheme %s, as a %s', async (authScheme, verb) => {
		const { context, debug } = contextOf({ authScheme });
		const { log } = await connect(context);
		log('POST', 'https://one.test');
		expect(debug.mock.calls).toEqual([[`${verb} https://one.test`]]);
	});
});
