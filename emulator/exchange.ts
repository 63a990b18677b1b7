import { presentedSchemes } from './authentication';
import {
	faultyAnswer,
	retryAfter,
	statusOf,
	strikesBeforeProcessing,
	tooManyRequests,
} from './faultyAnswer';
import type { Outcome } from './ledger';
import { argumentsOf, processRequest } from './processing';
import type { ReceivedRequest } from './receivedRequest';
import { rateLimitHeaders } from './rateLimitHeaders';
import { errorObject, ServiceError } from './serviceError';
import type { OpenLedgerRequest, ServiceState } from './serviceState';
import { jsonAnswer, type WireAnswer, withHeaders } from './wireAnswer';
import { wireRecord } from './wireRecord';

interface Settled {
	answer: WireAnswer;
	outcome: Outcome;
}

/** Handles one request from its arrival to the response, and records it in the ledger. */
export async function exchange(
	service: ServiceState,
	received: ReceivedRequest,
): Promise<WireAnswer> {
	const line = openLine(service, received);
	try {
		const { answer, outcome } = await settle(service, received);
		line.outcome = outcome;
		const { traffic, settings, clock } = service;
		return withHeaders(answer, rateLimitHeaders(traffic, settings, clock.now()));
	} finally {
		service.traffic.leave();
		// A request only ends without an outcome if the emulator closes.
		if (line.outcome.result === 'pending') line.outcome = { result: 'closed' };
	}
}

function openLine(service: ServiceState, received: ReceivedRequest): OpenLedgerRequest {
	const [scheme = 'none', ...others] = presentedSchemes(received);
	const line: OpenLedgerRequest = {
		method: received.method,
		verb: received.verb,
		scheme: others.length > 0 ? 'several' : scheme,
		args: Object.fromEntries(argumentsOf(received)),
		at: service.clock.now(),
		outcome: { result: 'pending' },
	};
	service.requests.push(line);
	return line;
}

async function settle(service: ServiceState, received: ReceivedRequest): Promise<Settled> {
	const { settings, clock, traffic, faults } = service;
	const passage = traffic.enter(clock.now(), settings);
	if (passage.kind === 'tooOften') {
		const header = retryAfter(settings.retryAfterSeconds, 'seconds', clock.now());
		return { answer: tooManyRequests(header), outcome: { result: 'rateLimited', httpStatus: 429 } };
	}
	if (passage.kind === 'tooMany') {
		const answer = jsonAnswer(503, errorObject(503, 'Too many requests at once: repeat later'));
		return { answer, outcome: { result: 'rateLimited', httpStatus: 503 } };
	}
	const { delayMs, fault } = faults.draw(received.method);
	await clock.sleep(settings.latencyMs + passage.slowdownMs + delayMs);
	if (fault === undefined) return truthful(service, received);
	const hidden = strikesBeforeProcessing(fault) ? undefined : truthful(service, received);
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

function truthful(service: ServiceState, received: ReceivedRequest): Settled {
	const { settings } = service;
	try {
		const body = wireRecord(processRequest(service, received), settings);
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
