import { readAccess, readBaseUrl } from '../../../../nodes/CallVerification/transport/credential';
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
