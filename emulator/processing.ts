import { ArgumentReader } from './argumentReader';
import { authenticate, CREDENTIAL_NAMES } from './authentication';
import { methodTable } from './methods/methodTable';
import type { ReceivedRequest } from './receivedRequest';
import { refuse } from './serviceError';
import type { ServiceState } from './serviceState';

/** Responds to one request with the contract's record, or throws a ServiceError. */
export function processRequest(
	service: ServiceState,
	received: ReceivedRequest,
): Record<string, unknown> {
	const { body, verb } = received;
	const { settings } = service;
	if (body.kind === 'unreadable') throw body.error;
	authenticate(received, settings);
	if (verb === 'GET' && body.kind !== 'none') {
		refuse('malformed', 'A GET request carries its arguments in the query string and has no body');
	}
	const method = methodTable.get(received.method);
	if (method === undefined) return refuse('unknownMethod', `There is no method ${received.method}`);
	if (settings.withdrawnMethods.includes(received.method)) refuse('verb', 'Method Not Allowed');
	if (!method.verbs.includes(verb)) {
		refuse(
			'verb',
			`${received.method} does not accept ${verb}, only ${method.verbs.join(' and ')}`,
		);
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
	const answer = method.answer(readerOf(received), service);
	service.lastRequestAt = service.clock.now();
	return answer;
}

/** Everything that was sent except the credentials, from query and body. */
export function argumentsOf(received: ReceivedRequest): Map<string, unknown> {
	const fields = received.body.kind === 'json' ? received.body.fields : [];
	const args = new Map<string, unknown>([...received.query, ...fields]);
	for (const name of CREDENTIAL_NAMES) args.delete(name);
	return args;
}

function readerOf(received: ReceivedRequest): ArgumentReader {
	return new ArgumentReader(argumentsOf(received), received.verb === 'GET' ? 'query' : 'json');
}
