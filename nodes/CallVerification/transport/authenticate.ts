import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';
import { readAccess, type ServiceAccess } from './credential';

/** n8n has two forms of request. Its HTTP Request node uses the older one, which has these fields too. */
interface LentRequest extends IHttpRequestOptions {
	readonly uri?: string;
	readonly form?: unknown;
	readonly formData?: unknown;
}

/** A redirect may point anywhere, and n8n would send the key along. Each form of request has its own option. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
};

/** Without these, n8n uses the route its operator has set, including a proxy from the environment. */
const DETOURS = ['proxy', 'agent', 'httpAgent', 'httpsAgent', 'socketPath', 'lookup'];

/** A client certificate says who sends the request. All other options say who may respond, or where. */
const HARMLESS_AGENT_OPTIONS = ['cert', 'key', 'passphrase'];

const NEEDS_JSON = 'With the authentication scheme “JSON Body”, the body must be a JSON object';
const USE_JSON =
	'Set “Body Content Type” in the node to JSON, or set “Authentication Scheme” in the credential to “Header”, which allows any body.';

/** Puts the key and the service ID where the chosen scheme wants them, and nowhere else. */
export async function authenticate(
	credentials: ICredentialDataDecryptedObject,
	lent: LentRequest,
): Promise<IHttpRequestOptions> {
	const access = readAccess(credentials);
	requireSafeRoute(access, lent);
	const { secretKey: key, serviceId: service_id } = access;
	const request = { ...lent, ...NO_REDIRECTS };
	const fields = fieldsOf(lent);

	if (credentials.authScheme === 'query') {
		if (!fields) return { ...request, qs: { ...request.qs, key, service_id } };
		const qs = { ...fields, ...request.qs, key, service_id };
		return { ...request, method: 'GET', body: undefined, qs };
	}
	if (credentials.authScheme === 'body' && (request.method ?? 'GET') !== 'GET') {
		if (!fields) throw new InputError(NEEDS_JSON, USE_JSON);
		return { ...request, body: { ...fields, key, service_id } };
	}
	// A GET has no body, so the body scheme falls back to the header.
	const headers = { ...request.headers, Authorization: `Bearer ${key}.${service_id}` };
	if (request.method !== 'POST' || !fields || Object.keys(fields).length > 0) {
		return { ...request, headers };
	}
	// n8n drops an empty object as a body, but not text, and the service expects JSON in a POST.
	return { ...request, body: '{}', headers: { ...headers, 'Content-Type': 'application/json' } };
}

/** The fields of a JSON object or of an empty body; `undefined` for any other body, which is sent unchanged. */
function fieldsOf({ body, form, formData }: LentRequest): IDataObject | undefined {
	if (form !== undefined || formData !== undefined) return undefined;
	if (body === undefined || body === null || body === '') return {};
	return isJsonObject(body) ? { ...body } : undefined;
}

/** Not an array, a file, a stream or a form, which are objects too. */
function isJsonObject(value: unknown): value is IDataObject {
	if (!isRecord(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * n8n also lends a credential to its HTTP Request node, where any user of the credential chooses the URL and the route.
 * So the key is sent only to the addresses in the credential, and only by a route that nobody else can read, whichever
 * node sends it.
 */
function requireSafeRoute({ baseUrl }: ServiceAccess, request: LentRequest): void {
	const target = targetUrl(request);
	if (!target.startsWith(`${withoutSlash(new URL(baseUrl).href)}/`)) {
		throw new InputError(
			'The key of this credential is only sent to the address in the credential',
			'Use a URL that starts with “Base URL” of the credential.',
		);
	}
	const options: Record<string, unknown> = { ...request };
	if (DETOURS.some((name) => isSet(options[name]))) {
		throw new InputError(
			'The key of this credential is not sent through a proxy set in the node',
			'Remove the option “Proxy” from the node. n8n’s own proxy settings, such as HTTPS_PROXY, apply without it.',
		);
	}
	if (!checksCertificates(options)) {
		throw new InputError(
			'The key of this credential is not sent without n8n’s own certificate checks',
			'Turn off “Ignore SSL Issues” in the node, and leave “CA” empty in its SSL certificates. If the service has a certificate from your own CA, set NODE_EXTRA_CA_CERTS where n8n runs.',
		);
	}
	// Behind a CDN, servers share an address and differ only in this header.
	if (Object.keys(request.headers ?? {}).some((name) => name.trim().toLowerCase() === 'host')) {
		throw new InputError(
			'The key of this credential is not sent with a “Host” header set in the node',
			'Remove the header “Host” from the node. n8n sets it from the URL.',
		);
	}
	if (String(request.method).toUpperCase() === 'TRACE') {
		throw new InputError(
			'The key of this credential is not sent with TRACE, which would return it',
			'Use the method GET or POST.',
		);
	}
}

/** Normalized, so that `..`, `@` and a backslash mean the same here as when the request is sent. */
function targetUrl({ url, uri, baseURL }: LentRequest): string {
	const address = String(url ?? uri ?? '');
	// Anything but a plain path may override the base, depending on the parser.
	if (baseURL && !/^(?:\/(?![/\\])|$)/.test(address)) return '';
	const whole = baseURL ? `${withoutSlash(baseURL)}${address}` : address;
	return URL.canParse(whole) ? new URL(whole).href : '';
}

function withoutSlash(url: string): string {
	return url.endsWith('/') ? url.slice(0, -1) : url;
}

function checksCertificates({
	rejectUnauthorized = true,
	strictSSL = true,
	skipSslCertificateValidation = false,
	agentOptions,
}: Record<string, unknown>): boolean {
	return (
		rejectUnauthorized === true &&
		strictSSL === true &&
		skipSslCertificateValidation === false &&
		Object.entries(agentOptions ?? {}).every(
			([name, value]) => HARMLESS_AGENT_OPTIONS.includes(name) || value === undefined,
		)
	);
}

function isSet(option: unknown): boolean {
	return option !== undefined && option !== null && option !== '' && option !== false;
}
