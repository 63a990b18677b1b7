import type { z } from 'zod';

import { isRecord, type RecordFields } from '../../nodes/CallVerification/contract/fields';
import type { ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { createRedactor } from '../../nodes/CallVerification/transport/redact';
import { type HttpResponse, readResponse } from '../../nodes/CallVerification/transport/response';
import { type Account, type How, LiveService } from './service';
import { differencesOf } from './shape';

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
