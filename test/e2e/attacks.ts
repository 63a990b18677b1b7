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

const post = (honest: Honest, changes: Partial<RawRequest> = {}): RawRequest => ({
	path: `${pathOf(honest)}?${queryOf(honest)}`,
	headers: [JSON_TYPE],
	body: JSON.stringify(honest.event),
	...changes,
});

/** The genuine event with another content type. */
const typed = (type: string, encode: (event: object) => string): Attack => ({
	what: `as ${type}`,
	request: (honest) =>
		post(honest, { headers: [['Content-Type', type]], body: encode(honest.event) }),
	statuses: [400, 422],
});

const form = (event: object) =>
	new URLSearchParams(
		Object.entries(event).map(([name, value]): [string, string] => [name, String(value)]),
	).toString();
const xml = (event: object) =>
	`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>${Object.entries(
		event,
	)
		.map(([name, value]) => `<${name}>${String(value)}&e;</${name}>`)
		.join('')}</x>`;
const multipart = (event: object) =>
	`${Object.entries(event)
		.map(
			([name, value]) =>
				`--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
		)
		.join('')}--b--\r\n`;

const contentTypes: Attack[] = [
	typed('text/plain', JSON.stringify),
	typed('application/octet-stream', JSON.stringify),
	typed('application/json; charset=utf-16le', JSON.stringify),
	typed('application/x-www-form-urlencoded', form),
	typed('application/xml', xml),
	typed('multipart/form-data; boundary=b', multipart),
	typed('multipart/form-data', JSON.stringify),
	{
		what: 'without a content type',
		request: (honest) => post(honest, { headers: [] }),
		statuses: [400],
	},
	{
		what: 'with two content types, the wrong one first',
		request: (honest) => post(honest, { headers: [['Content-Type', 'text/plain'], JSON_TYPE] }),
		statuses: [400],
	},
];

const body = (
	what: string,
	content: (event: object) => RawRequest['body'],
	statuses: number[],
): Attack => ({
	what,
	request: (honest) => post(honest, { body: content(honest.event) }),
	statuses,
});

const bodies: Attack[] = [
	body('that is cut in the middle', (event) => JSON.stringify(event).slice(0, 60), [422]),
	body('that is empty', () => '', [400]),
	body('that is null', () => 'null', [400, 422]),
	body('that is a number', () => '1e999', [400, 422]),
	body('that is a list', (event) => JSON.stringify([event]), [400]),
	body('with zero bytes', () => Buffer.alloc(1_000), [422]),
	body('nested 100,000 deep', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`, [400, 422]),
	body(
		'nested 100,000 deep in a field',
		(event) =>
			JSON.stringify({ ...event, callId: 0 }).replace(
				'"callId":0',
				`"callId":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
			),
		[400, 422],
	),
	body('without a number', (event) => JSON.stringify({ ...event, clientNumber: null }), [400]),
	body('under __proto__', (event) => `{"__proto__":${JSON.stringify(event)}}`, [400]),
	body(
		'with 10 MB in a field',
		(event) => JSON.stringify({ ...event, callId: '1'.repeat(10 * MEGABYTE) }),
		[400],
	),
	body(
		'of 20 MB, more than n8n takes',
		(event) => JSON.stringify({ ...event, filler: 'x'.repeat(20 * MEGABYTE) }),
		[0, 413, 500],
	),
	{
		what: 'that says it is longer than it is, and hangs up',
		request: (honest) => post(honest, { hangUpAfter: 20 }),
		statuses: [0, 400, 500],
	},
	{
		what: 'with two lengths',
		request: (honest) =>
			post(honest, {
				headers: [JSON_TYPE, ['Content-Length', '10'], ['Content-Length', '300']],
			}),
		statuses: [400],
	},
	{
		what: 'with a length and chunked, which two servers may read differently',
		request: (honest) =>
			post(honest, {
				headers: [JSON_TYPE, ['Content-Length', '5'], ['Transfer-Encoding', 'chunked']],
				body: '0\r\n\r\n',
			}),
		statuses: [400],
	},
	{
		what: 'that claims to be compressed and is not',
		request: (honest) => post(honest, { headers: [JSON_TYPE, ['Content-Encoding', 'gzip']] }),
		statuses: [400, 422, 500],
	},
	{
		what: 'compressed twice',
		request: (honest) =>
			post(honest, {
				headers: [JSON_TYPE, ['Content-Encoding', 'gzip']],
				body: gzipSync(deflateSync(JSON.stringify(honest.event))),
			}),
		statuses: [422],
	},
	{
		what: 'of 100 MB, compressed to 100 kB',
		request: (honest) =>
			post(honest, {
				headers: [JSON_TYPE, ['Content-Encoding', 'gzip']],
				body: gzipSync(Buffer.alloc(100 * MEGABYTE, ' ')),
			}),
		statuses: [413, 500],
	},
];

const methods: Attack[] = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE'].map((method) => ({
	what: `by ${method}, with POST in every header that may overrule it`,
	request: (honest) =>
		post(honest, {
			method,
			headers: [
				JSON_TYPE,
				['X-HTTP-Method-Override', 'POST'],
				['X-HTTP-Method', 'POST'],
				['X-Method-Override', 'POST'],
			],
		}),
	statuses: [401, 404, 405, 500],
}));

const query = (what: string, change: (honest: Honest) => string): Attack => ({
	what,
	request: (honest) => post(honest, { path: `${pathOf(honest)}?${change(honest)}` }),
	statuses: [400, 401],
});
const sigTo = (honest: Honest, parameters: string): string =>
	queryOf(honest).replace(/sig=[^&]*/, parameters);

const nonceTo = (honest: Honest, parameters: string): string =>
	queryOf(honest).replace(/nonce=[^&]*/, parameters);

const queries: Attack[] = [
	query('without the nonce', (honest) => nonceTo(honest, '')),
	query('with another nonce', (honest) => nonceTo(honest, `nonce=${'A'.repeat(22)}`)),
	query('with the nonce twice', (honest) => `${queryOf(honest)}&nonce=${valueOf(honest, 'nonce')}`),
	query('with the nonce in a list', (honest) =>
		nonceTo(honest, `nonce[]=${valueOf(honest, 'nonce')}`),
	),
	query('without the signature', (honest) => sigTo(honest, '')),
	query('with the signature twice', (honest) => `${queryOf(honest)}&sig=${valueOf(honest, 'sig')}`),
	query('with a wrong signature behind the right one', (honest) => `${queryOf(honest)}&sig=x`),
	query('with the signature in a list', (honest) =>
		sigTo(honest, `sig[]=${valueOf(honest, 'sig')}`),
	),
	query('with the signature in an encoded list', (honest) =>
		sigTo(honest, `sig%5B0%5D=${valueOf(honest, 'sig')}`),
	),
	query('with an operator for a database', (honest) => sigTo(honest, 'sig[$ne]=x')),
	query('with the signature under __proto__', (honest) =>
		sigTo(honest, `__proto__[sig]=${valueOf(honest, 'sig')}`),
	),
	query('with the signature under constructor', (honest) =>
		sigTo(honest, `constructor[prototype][sig]=${valueOf(honest, 'sig')}`),
	),
	query('with the name in capitals', (honest) => sigTo(honest, `SIG=${valueOf(honest, 'sig')}`)),
	query('with the name encoded twice', (honest) =>
		sigTo(honest, `%2573ig=${valueOf(honest, 'sig')}`),
	),
	query('with a zero byte behind the signature', (honest) =>
		sigTo(honest, `sig=${valueOf(honest, 'sig')}%00`),
	),
	query('with a broken encoding', (honest) => sigTo(honest, `sig=${valueOf(honest, 'sig')}%E0%A4`)),
	query('with a semicolon between the parameters', (honest) =>
		queryOf(honest).replace('&sig=', ';sig='),
	),
	query('with the signature behind a fragment', (honest) =>
		sigTo(honest, `x=1#&sig=${valueOf(honest, 'sig')}`),
	),
	query(
		'behind 2,000 other parameters',
		(honest) => `${'a=1&'.repeat(2_000)}${sigTo(honest, 'sig=x')}`,
	),
];

const strangers: Attack[] = [
	{
		what: 'with an invalid host',
		request: (honest) =>
			post(honest, {
				path: `${pathOf(honest)}?${sigTo(honest, 'sig=x')}`,
				headers: [JSON_TYPE, ['Host', 'a b[']],
			}),
		statuses: [400, 401, 500],
	},
	{
		what: 'with the seal in cookies and headers',
		request: (honest) =>
			post(honest, {
				path: `${pathOf(honest)}?${sigTo(honest, '')}`,
				headers: [
					JSON_TYPE,
					['Cookie', `sig=${valueOf(honest, 'sig')}`],
					['sig', valueOf(honest, 'sig')],
					['X-Original-URL', `${pathOf(honest)}?${queryOf(honest)}`],
					['X-Rewrite-URL', `${pathOf(honest)}?${queryOf(honest)}`],
				],
			}),
		statuses: [401],
	},
];

const path = (what: string, change: (path: string) => string): Attack => ({
	what,
	request: (honest) => post(honest, { path: `${change(pathOf(honest))}?${queryOf(honest)}` }),
	statuses: [400, 401, 404, 405],
});

const paths: Attack[] = [
	path('without the end of the path', (whole) => whole.replace('/inbound-call', '')),
	path('with another end', (whole) => whole.replace('inbound-call', 'outbound-call')),
	path('in capitals', (whole) => whole.replace('inbound-call', 'INBOUND-CALL')),
	path('with more behind it', (whole) => `${whole}/x`),
	path('with a way out of the path', (whole) => `${whole}/..%2f..%2frest%2fsettings`),
	path('at the test address', (whole) =>
		whole.replace(/\/webhook(?:-waiting)?\//, '/webhook-test/'),
	),
	{
		...path('at the address of forms', (whole) =>
			whole.replace(/\/webhook(?:-waiting)?\//, '/form-waiting/'),
		),
		// n8n looks for an execution with that ID, and its database fails if the ID is not a number.
		statuses: [401, 404, 500],
	},
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
export const HONEST: ReadonlyArray<{ what: string; request: (honest: Honest) => RawRequest }> = [
	{ what: 'as it is', request: (honest) => post(honest) },
	{
		what: 'with its parameters in another order, among others',
		request: (honest) =>
			post(honest, {
				path: `${pathOf(honest)}?x=1&${queryOf(honest).split('&').reverse().join('&')}&utm=2`,
			}),
	},
	{
		what: 'compressed',
		request: (honest) =>
			post(honest, {
				headers: [JSON_TYPE, ['Content-Encoding', 'gzip']],
				body: gzipSync(JSON.stringify(honest.event)),
			}),
	},
	{
		what: 'with 10 MB in an optional field',
		request: (honest) =>
			post(honest, {
				body: JSON.stringify({ ...honest.event, regionName: 'x'.repeat(10 * MEGABYTE) }),
			}),
	},
];

/** Settings of n8n's HTTP Request node, chosen by a colleague who may use the credential but not see its key. */
export interface KeyAttack {
	readonly what: string;
	readonly typeVersion?: number;
	/** Override the parameters of an honest request; `elsewhere` is the attacker's server. */
	readonly parameters: (elsewhere: string) => INodeParameters;
	readonly refusal: string;
}

const PROXY_REFUSED = 'not sent through a proxy set in the node';
const UNCHECKED_REFUSED = 'not sent without n8n’s own certificate checks';
const ADDRESS_REFUSED = 'only sent to the address in the credential';

export const KEY_ATTACKS: readonly KeyAttack[] = [
	{
		what: 'with their own URL',
		parameters: (elsewhere) => ({ url: `${elsewhere}/v1.0/getBalance` }),
		refusal: ADDRESS_REFUSED,
	},
	{
		what: 'with their own proxy',
		parameters: (proxy) => ({ options: { proxy } }),
		refusal: PROXY_REFUSED,
	},
	{
		what: 'with their own proxy, which needs no certificate',
		parameters: (proxy) => ({ options: { proxy, allowUnauthorizedCerts: true } }),
		refusal: PROXY_REFUSED,
	},
	{
		what: 'with their own proxy, in the node’s version 2',
		typeVersion: 2,
		parameters: (proxy) => ({ requestMethod: 'POST', options: { proxy } }),
		refusal: PROXY_REFUSED,
	},
	{
		what: 'without certificate checks',
		parameters: () => ({ options: { allowUnauthorizedCerts: true } }),
		refusal: UNCHECKED_REFUSED,
	},
	{
		what: 'without certificate checks, in the node’s version 2',
		typeVersion: 2,
		parameters: () => ({ requestMethod: 'POST', allowUnauthorizedCerts: true }),
		refusal: UNCHECKED_REFUSED,
	},
	{
		what: 'with their own certificate authority',
		parameters: () => ({ provideSslCertificates: true }),
		refusal: UNCHECKED_REFUSED,
	},
	{
		what: 'with the name of another host',
		parameters: () => ({
			sendHeaders: true,
			specifyHeaders: 'json',
			jsonHeaders: '{"hOsT": "elsewhere.test"}',
		}),
		refusal: 'not sent with a “Host” header',
	},
	{
		what: 'with a method that echoes it',
		parameters: () => ({ method: '={{ "TRACE" }}' }),
		refusal: 'not sent with TRACE',
	},
	{
		what: 'with their own next page',
		parameters: (elsewhere) => ({
			options: {
				pagination: {
					pagination: {
						paginationMode: 'responseContainsNextURL',
						nextURL: `={{ $pageCount ? "${elsewhere}/v1.0/getBalance" : $request.uri }}`,
						paginationCompleteWhen: 'other',
						completeExpression: '={{ false }}',
					},
				},
			},
		}),
		refusal: ADDRESS_REFUSED,
	},
];
