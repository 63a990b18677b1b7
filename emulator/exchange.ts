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
import { ServiceError } from './serviceError';
import type { OpenLedgerRequest, ServiceState } from './serviceState';
import { jsonAnswer, type WireAnswer } from './wireAnswer';

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
		return answer;
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
	const passage = traffic.enter(clock.now());
	if (passage.kind === 'tooOften') {
		const header = retryAfter(settings.retryAfterSeconds, 'seconds', clock.now());
		return { answer: tooManyRequests(header), outcome: { result: 'throttled', httpStatus: 429 } };
	}
	if (passage.kind === 'tooMany') {
		const error = new ServiceError(503, 'Too many requests at once: repeat later');
		const answer = jsonAnswer(503, error.toObject());
		return { answer, outcome: { result: 'throttled', httpStatus: 503 } };
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
	try {
		const body = processRequest(service, received);
		return { answer: jsonAnswer(200, body), outcome: { result: 'success', httpStatus: 200 } };
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		const { code, message } = error;
		const httpStatus = statusOf(error, service.settings.errorStatus);
		return {
			answer: jsonAnswer(httpStatus, error.toObject()),
			outcome: { result: 'error', httpStatus, code, message },
		};
	}
}
