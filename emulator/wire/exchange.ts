import { type Method, ArgumentReader } from '../service/method';
import { errorObject, refuse, ServiceError } from '../service/refusals';
import type { ServiceState } from '../service/state';
import {
	faultyAnswer,
	jsonAnswer,
	retryAfter,
	statusOf,
	strikesBeforeProcessing,
	tooManyRequests,
	type WireAnswer,
	withHeaders,
	wireRecord,
} from './answers';
import { Faults } from './faults';
import { rateLimitHeaders, Traffic } from './traffic';
import {
	argumentsOf,
	authenticate,
	type LedgerRequest,
	type Outcome,
	presentedSchemes,
	type ReceivedRequest,
} from './request';

/** A ledger line that still lacks its outcome. */
type OpenLedgerRequest = Omit<LedgerRequest, 'outcome'> & { outcome: Outcome };

interface Settled {
	answer: WireAnswer;
	outcome: Outcome;
}

/** Handles each request from its arrival to the response, and records it in the ledger. */
export class Exchange {
	readonly traffic = new Traffic();
	readonly requests: OpenLedgerRequest[] = [];
	/** They have a random generator of their own, so that arming a fault changes no code. */
	readonly faults: Faults;

	constructor(
		private readonly service: ServiceState,
		private readonly methods: ReadonlyMap<string, Method>,
	) {
		this.faults = new Faults(service.settings.faults, service.settings.seed);
	}

	async answer(received: ReceivedRequest): Promise<WireAnswer> {
		const { service, traffic } = this;
		const line = this.openLine(received);
		try {
			const { answer, outcome } = await this.settle(received);
			line.outcome = outcome;
			return withHeaders(answer, rateLimitHeaders(traffic, service.settings, service.clock.now()));
		} finally {
			traffic.leave();
			// Without an outcome, the emulator was closed, or has failed.
			if (line.outcome.result === 'pending') line.outcome = { result: 'closed' };
		}
	}

	private openLine(received: ReceivedRequest): OpenLedgerRequest {
		const [scheme = 'none', ...others] = presentedSchemes(received);
		const line: OpenLedgerRequest = {
			method: received.method,
			verb: received.verb,
			scheme: others.length > 0 ? 'several' : scheme,
			args: Object.fromEntries(argumentsOf(received)),
			at: this.service.clock.now(),
			outcome: { result: 'pending' },
		};
		this.requests.push(line);
		return line;
	}

	private async settle(received: ReceivedRequest): Promise<Settled> {
		const { settings, clock } = this.service;
		const passage = this.traffic.enter(clock.now(), settings);
		if (passage.kind === 'tooMany') {
			const answer = jsonAnswer(503, errorObject(503, 'Too many requests at once: repeat later'));
			return { answer, outcome: { result: 'rateLimited', httpStatus: 503 } };
		}
		if (passage.kind === 'tooOften') {
			const header = retryAfter(settings.retryAfterSeconds, 'seconds', clock.now());
			return {
				answer: tooManyRequests(header),
				outcome: { result: 'rateLimited', httpStatus: 429 },
			};
		}
		const { delayMs, fault } = this.faults.draw(received.method);
		await clock.sleep(settings.latencyMs + passage.slowdownMs + delayMs);
		if (fault === undefined) return this.truthful(received);
		const hidden = strikesBeforeProcessing(fault) ? undefined : this.truthful(received);
		const answer = faultyAnswer(fault, hidden?.answer, settings, clock.now());
		return {
			answer,
			outcome: {
				result: 'fault',
				fault: fault.kind,
				processed: hidden?.outcome.result === 'success',
				httpStatus: answer.kind === 'http' ? answer.status : undefined,
			},
		};
	}

	private truthful(received: ReceivedRequest): Settled {
		const { settings } = this.service;
		try {
			const body = wireRecord(this.process(received), settings);
			return { answer: jsonAnswer(200, body), outcome: { result: 'success', httpStatus: 200 } };
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			const { refusal, message } = error;
			const code = settings.refusalCodes[refusal];
			const httpStatus = statusOf(code, settings.errorStatus);
			return {
				answer: jsonAnswer(httpStatus, errorObject(code, message)),
				outcome: { result: 'error', httpStatus, code, message },
			};
		}
	}

	/** Responds with the contract's record, or throws a ServiceError. */
	private process(received: ReceivedRequest): Record<string, unknown> {
		const { body, verb } = received;
		const { service } = this;
		const { settings } = service;
		if (body.kind === 'unreadable') throw body.error;
		authenticate(received, settings);
		if (verb === 'GET' && body.kind !== 'none') {
			refuse(
				'malformed',
				'A GET request carries its arguments in the query string and has no body',
			);
		}
		const method = this.methods.get(received.method);
		if (method === undefined) {
			return refuse('unknownMethod', `There is no method ${received.method}`);
		}
		if (settings.withdrawnMethods.includes(received.method)) refuse('verb', 'Method Not Allowed');
		if (!method.verbs.includes(verb)) {
			const accepted = method.verbs.join(' and ');
			refuse('verb', `${received.method} does not accept ${verb}, only ${accepted}`);
		}
		if (verb === 'POST' && received.query.size > 0) {
			refuse(
				'malformed',
				'A POST request carries its arguments in the JSON body, not in the query string',
			);
		}
		if (received.repeated.length > 0) {
			refuse('malformed', `Given more than once: ${received.repeated.join(', ')}`);
		}
		const source = verb === 'GET' ? 'query' : 'json';
		const answer = method.answer(new ArgumentReader(argumentsOf(received), source), service);
		service.lastAnswerAt = service.clock.now();
		return answer;
	}
}
