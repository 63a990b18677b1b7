import { refuse } from '../service/refusals';
import type { ReceivedRequest, Scheme } from './receivedRequest';

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
