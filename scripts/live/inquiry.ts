import type { IHttpRequestOptions } from 'n8n-workflow';
import type { z } from 'zod';

import { isRecord, type RecordFields } from '../../nodes/CallVerification/contract/fields';
import type { ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { authenticate, readAccess } from '../../nodes/CallVerification/transport/credential';
import { networkFailure } from '../../nodes/CallVerification/transport/errors';
import { serviceRequest } from '../../nodes/CallVerification/transport/pipeline';
import { createRedactor } from '../../nodes/CallVerification/transport/redact';
import { type HttpResponse, readResponse } from '../../nodes/CallVerification/transport/response';

export interface Account {
	readonly baseUrl: string;
	readonly secretKey: string;
	readonly serviceId: string;
}

interface How {
	readonly scheme?: 'header' | 'body' | 'query';
	readonly secretKey?: string;
	/** Sent instead of what the package would send. */
	readonly body?: Record<string, unknown>;
}

const TIMEOUT_MS = 30_000;

/** Asks the service as the package does, once, and returns the response unchanged. */
class LiveService {
	constructor(private readonly account: Account) {}

	async ask<Method extends ServiceMethod>(
		method: Method,
		parameters: z.input<Method['request']>,
		{ scheme = 'header', secretKey = this.account.secretKey, body }: How = {},
	): Promise<HttpResponse> {
		const credential = { ...this.account, secretKey, authScheme: scheme };
		const once = { timeout: TIMEOUT_MS, maxRetries: 0 };
		const { http } = serviceRequest(readAccess(credential), method, parameters, once);
		return await sent(
			await authenticate(credential, body === undefined ? http : { ...http, body: { ...body } }),
		);
	}
}

async function sent({
	url,
	qs,
	method,
	headers,
	body,
}: IHttpRequestOptions): Promise<HttpResponse> {
	const address = new URL(url);
	// Parameters of the contract are texts, numbers and flags.
	address.search = new URLSearchParams(qs as Record<string, string>).toString();
	try {
		const response = await fetch(address, {
			method,
			headers: { 'Content-Type': 'application/json', ...(headers as Record<string, string>) },
			body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		return {
			statusCode: response.status,
			headers: Object.fromEntries(response.headers),
			body: asJson(await response.text()),
		};
	} catch (error) {
		// The error itself may contain the key.
		throw networkFailure(error);
	}
}

function asJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

/** One thing that was expected of the service, and what it did. */
export interface Finding {
	readonly step: string;
	readonly expected: string;
	/** A row of the contract, or the grade of the evidence: docs/maintainers/service-contract.md. */
	readonly source: string;
	readonly seen: string;
	readonly agrees: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** What the service sent, and what the package makes of it. */
export interface Reply {
	readonly body: Fields;
	readonly record: Fields;
}

type Sent<Method extends ServiceMethod> = z.input<Method['request']>;

/** Far below the limit of 30 requests a second. */
const BETWEEN_REQUESTS_MS = 200;

/** Asks the service, and keeps what was found: names, types and prices, but no key, whole number or code. */
export class Inquiry {
	readonly findings: Finding[] = [];
	readonly redact: (text: string) => string;
	private readonly service: LiveService;

	constructor(
		account: Account,
		private readonly sleep: (ms: number) => Promise<void>,
	) {
		this.service = new LiveService(account);
		this.redact = createRedactor(account.secretKey);
	}

	step = (name: string) => new Step(name, this);

	async send<Method extends ServiceMethod>(
		method: Method,
		parameters: Sent<Method>,
		how: How = {},
	): Promise<HttpResponse> {
		await this.sleep(BETWEEN_REQUESTS_MS);
		return await this.service.ask(method, parameters, how);
	}
}

export class Step {
	constructor(
		private readonly name: string,
		private readonly inquiry: Inquiry,
	) {}

	expect(expected: string, source: string, agrees: boolean, seen = agrees ? 'yes' : 'no'): void {
		const { findings, redact } = this.inquiry;
		findings.push({ step: this.name, expected, source, seen: redact(seen), agrees });
	}

	/** Undefined if nothing came back. */
	async answer<Method extends ServiceMethod>(
		method: Method,
		parameters: Sent<Method>,
		how?: How,
	): Promise<HttpResponse | undefined> {
		try {
			return await this.inquiry.send(method, parameters, how);
		} catch (error) {
			this.expect(`an answer to ${method.name}`, 'contract 1.3', false, wordsOf(error));
			return undefined;
		}
	}

	/** Undefined if the package cannot read the answer. */
	async reply<Method extends ServiceMethod>(
		method: Method,
		parameters: Sent<Method>,
	): Promise<Reply | undefined> {
		const answer = await this.answer(method, parameters);
		return answer && this.read(method, answer);
	}

	read(method: ServiceMethod, answer: HttpResponse): Reply | undefined {
		const expected = `${method.name} can be read by the package`;
		try {
			const record: unknown = readResponse(method, answer, this.inquiry.redact);
			this.expect(expected, 'contract 2', true);
			this.fields(answer.body, method.response.fields);
			return { body: fieldsOf(answer.body), record: fieldsOf(record) };
		} catch (error) {
			this.expect(expected, 'contract 2', false, wordsOf(error));
			return undefined;
		}
	}

	fields(body: unknown, fields: RecordFields): void {
		const differences = differencesOf(body, fields);
		const seen = differences.length === 0 ? 'these' : differences.join('; ');
		const expected = 'the fields of the contract, with their types';
		this.expect(expected, 'contract 2', differences.length === 0, seen);
	}

	async refusal<Method extends ServiceMethod>(
		expected: { readonly code: number; readonly source: string },
		method: Method,
		parameters: Sent<Method>,
		how?: How,
	): Promise<void> {
		const answer = await this.answer(method, parameters, how);
		if (answer === undefined) return;
		const { status, code } = fieldsOf(answer.body);
		const isRefused = status === false && code === expected.code;
		const seen = typeof code === 'number' ? `code ${code}` : 'no code';
		this.expect(`refused with code ${expected.code}`, expected.source, isRefused, seen);
		const { statusCode } = answer;
		this.expect('by HTTP status 200', 'doc', statusCode === 200, `HTTP status ${statusCode}`);
	}
}

export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The contract shows each of these in two types. */
const ALSO: Readonly<Record<string, string>> = {
	cost: 'boolean',
	phone_info: 'array',
	ip: 'number',
};

/** Only there where they apply: contract, 2.optional and 4.5. */
const OPTIONAL = [
	'client',
	'unique',
	'unique_request_id',
	'exists',
	'error',
	'is_repeated',
	'first_vendor_id',
	'repeatable',
	'repeat_times',
	'repeated_vendor_ids',
];

/** In which names and types an answer differs from the fields of the contract. No value of the answer is in it. */
export function differencesOf(body: unknown, fields: RecordFields, path = ''): string[] {
	if (!isRecord(body)) return [`${path === '' ? 'the answer' : path} is ${typeOf(body)}`];
	const known = Object.entries(fields).map(([name, field]) => {
		const { otherName = name } = field;
		return { name, field, sentAs: otherName in body ? otherName : name };
	});
	const missing = known
		.filter(({ name, sentAs }) => !(sentAs in body) && !OPTIONAL.includes(name))
		.map(({ name }) => `${path}${name} is missing`);
	const mistyped = known.flatMap(({ name, field, sentAs }) => {
		const value = body[sentAs];
		if (value === null || value === undefined) return [];
		const type = typeOf(value);
		if (type !== field.type && type !== ALSO[name]) {
			return [`${path}${sentAs} is ${type}, not ${field.type}`];
		}
		const entry: unknown = Array.isArray(value) ? value[0] : value;
		const isEmpty = entry === undefined || (isRecord(entry) && Object.keys(entry).length === 0);
		if (field.fields === undefined || isEmpty) return [];
		// Inside a record of the contract, all fields have readers as well.
		return differencesOf(entry, field.fields as RecordFields, `${path}${sentAs}.`);
	});
	const unknown = Object.keys(body)
		.filter((name) => !known.some(({ sentAs }) => sentAs === name))
		.map((name) => `${path}${name} is not in the contract`);
	return [...missing, ...mistyped, ...unknown];
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
