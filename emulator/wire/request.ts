import type { FastifyRequest } from 'fastify';
import { refuse, ServiceError } from '../service/refusals';
import type { FaultKind, Refusal } from '../settings';

type ReceivedBody =
	| { kind: 'none' }
	| { kind: 'json'; fields: ReadonlyMap<string, unknown> }
	| { kind: 'unreadable'; error: ServiceError };

/** A request as received, not yet validated. */
export interface ReceivedRequest {
	/** The name after /v1.0/, or the whole path if it has another form. */
	method: string;
	verb: string;
	authorization: string | undefined;
	query: ReadonlyMap<string, string>;
	/** Query parameters that occur more than once. */
	repeated: readonly string[];
	body: ReceivedBody;
}

export type Scheme = 'query' | 'json' | 'header';

/** How a request ended. */
export type Outcome =
	| { result: 'pending' }
	| { result: 'success'; httpStatus: number }
	| { result: 'error'; httpStatus: number; code: number; message: string }
	| { result: 'rateLimited'; httpStatus: number }
	/** `processed` is whether the request succeeded behind the fault. */
	| { result: 'fault'; fault: FaultKind; processed: boolean; httpStatus: number | undefined }
	| { result: 'closed' };

/** What the ledger says of a request. */
export interface LedgerRequest {
	readonly method: string;
	readonly verb: string;
	readonly scheme: Scheme | 'none' | 'several';
	/** What was sent, without the credentials. */
	readonly args: Readonly<Record<string, unknown>>;
	readonly at: number;
	readonly outcome: Outcome;
}

export function receive(request: FastifyRequest): ReceivedRequest {
	const [path = '/', queryString = ''] = splitOnce(request.url, '?');
	const query = new Map<string, string>();
	const repeated: string[] = [];
	for (const [name, value] of new URLSearchParams(queryString)) {
		if (query.has(name)) repeated.push(name);
		query.set(name, value);
	}
	return {
		method: /^\/v1\.0\/([^/]+)$/.exec(path)?.[1] ?? path,
		verb: request.method,
		authorization: request.headers.authorization,
		query,
		repeated,
		body: readBody(request),
	};
}

function splitOnce(text: string, separator: string): string[] {
	const at = text.indexOf(separator);
	return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function readBody(request: FastifyRequest): ReceivedBody {
	const raw = request.body;
	if (!Buffer.isBuffer(raw) || raw.length === 0) return { kind: 'none' };
	const contentType = request.headers['content-type'];
	if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
		const got = contentType ?? 'nothing';
		return unreadable('contentType', `Content-Type must be application/json, not ${got}`);
	}
	let parsed: unknown;
	try {
		parsed = JSON.parse(raw.toString('utf8'));
	} catch {
		return unreadable('malformed', 'The body is not valid JSON');
	}
	if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
		return unreadable('malformed', 'The body must be a JSON object');
	}
	return { kind: 'json', fields: new Map(Object.entries(parsed)) };
}

function unreadable(refusal: Refusal, message: string): ReceivedBody {
	return { kind: 'unreadable', error: new ServiceError(refusal, message) };
}

interface Credentials {
	secretKey: string;
	serviceId: string;
}

/** Query parameters and body fields that are authentication, not arguments. */
const CREDENTIAL_NAMES: readonly string[] = ['key', 'service_id'];

export function presentedSchemes(received: ReceivedRequest): Scheme[] {
	const { query, body, authorization } = received;
	const schemes: Scheme[] = [];
	if (CREDENTIAL_NAMES.some((name) => query.has(name))) schemes.push('query');
	if (body.kind === 'json' && CREDENTIAL_NAMES.some((name) => body.fields.has(name))) {
		schemes.push('json');
	}
	if (authorization !== undefined) schemes.push('header');
	return schemes;
}

/** Everything that was sent except the credentials, from query and body. */
export function argumentsOf(received: ReceivedRequest): Map<string, unknown> {
	const fields = received.body.kind === 'json' ? received.body.fields : [];
	const args = new Map<string, unknown>([...received.query, ...fields]);
	for (const name of CREDENTIAL_NAMES) args.delete(name);
	return args;
}

export function authenticate(received: ReceivedRequest, expected: Credentials): void {
	const [scheme, ...others] = presentedSchemes(received);
	if (scheme === undefined) fail('the request carries no credentials');
	// The contract does not say which scheme wins, so a client must not rely on one.
	if (others.length > 0) {
		refuse(
			'malformed',
			`Use one authentication scheme, not several: ${[scheme, ...others].join(', ')}`,
		);
	}
	if (scheme === 'query' && received.verb !== 'GET') {
		fail('query parameters authenticate GET requests only');
	}
	if (scheme === 'json' && received.verb !== 'POST') {
		fail('body fields authenticate POST requests only');
	}
	if (!matches(received, scheme, expected)) fail('the key or the service identifier is wrong');
}

function matches(received: ReceivedRequest, scheme: Scheme, expected: Credentials): boolean {
	if (scheme === 'header') {
		return received.authorization === `Bearer ${expected.secretKey}.${expected.serviceId}`;
	}
	const values = scheme === 'query' ? received.query : bodyFields(received);
	const serviceId = values.get('service_id');
	// The contract does not define the identifier's JSON type, so both a number and a string are valid.
	const sameService =
		(typeof serviceId === 'string' || typeof serviceId === 'number') &&
		String(serviceId) === expected.serviceId;
	return values.get('key') === expected.secretKey && sameService;
}

function bodyFields(received: ReceivedRequest): ReadonlyMap<string, unknown> {
	return received.body.kind === 'json' ? received.body.fields : new Map();
}

function fail(reason: string): never {
	return refuse(
		'authentication',
		`Authentication failed: use the correct authentication scheme (${reason})`,
	);
}
