import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../service/refusals';
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
	/** `processed` is whether the work was done, and charged, despite the fault. */
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
