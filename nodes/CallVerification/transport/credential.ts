import { createHmac, hkdfSync } from 'node:crypto';

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';
import type { HttpResponse } from './response';

export interface ServiceAccess {
	readonly baseUrl: string;
	/** Kept out of every error. */
	readonly secretKey: string;
	readonly serviceId: string;
}

type Context = IExecuteFunctions | IWebhookFunctions;

const CREDENTIAL = 'callVerificationApi';

/** n8n creates a context for each run of a node and for each event, so nothing is kept longer than that. */
const alreadyRead = new WeakMap<object, ICredentialDataDecryptedObject>();

export const readCredential = async (context: Context) => readAccess(await credentialData(context));

export interface Connection {
	readonly access: ServiceAccess;
	readonly httpRequest: HttpRequest;
	readonly log: (verb: string, line: string) => void;
}

/** Throws only if there is no response. */
export type HttpRequest = (
	http: IHttpRequestOptions,
	abort: AbortSignal | undefined,
) => Promise<HttpResponse>;

export async function connect(context: Context): Promise<Connection> {
	const data = await credentialData(context);
	// Without it, n8n would read and decrypt the credential for every request. It uses nothing but the data.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data };
	return {
		access: readAccess(data),
		httpRequest: (http, signal) => {
			// n8n's helper cancels a request with the signal of its caller, which belongs to the whole run. A separate signal
			// closes the connection on a timeout, and lets a request in flight finish on Stop, because it may be paid for.
			const own = { getExecutionCancelSignal: { value: () => signal } };
			const caller = Object.create(context, own) as Context;
			const { httpRequestWithAuthentication: request } = context.helpers;
			return request.call(caller, CREDENTIAL, http, { credentialsDecrypted });
		},
		log: (verb, line) =>
			// The query scheme makes a GET of every request.
			context.logger.debug(`${data.authScheme === 'query' ? 'GET' : verb} ${line}`),
	};
}

async function credentialData(context: Context): Promise<ICredentialDataDecryptedObject> {
	const known = alreadyRead.get(context);
	if (known !== undefined) return known;
	const data = await context.getCredentials<ICredentialDataDecryptedObject>(CREDENTIAL);
	alreadyRead.set(context, data);
	return data;
}

// Matches each run of slashes once; the plain pattern would start again at every slash.
const SLASHES_AT_END = /(?<!\/)\/+$/;

export function readAccess(credential: unknown): ServiceAccess {
	const fields = isRecord(credential) ? credential : {};
	const usesAlternate = fields.addressMode === 'alternate';
	// A copied key often has a space or a line break with it.
	const pasted = (value: unknown) => String(value ?? '').trim();
	return {
		baseUrl: usesAlternate
			? readBaseUrl(fields.alternateBaseUrl, 'Alternate Base URL')
			: readBaseUrl(fields.baseUrl, 'Base URL'),
		secretKey: pasted(fields.secretKey),
		serviceId: pasted(fields.serviceId),
	};
}

/** Tolerates trailing slashes and a pasted `/v1.0`. */
export function readBaseUrl(value: unknown, label: string): string {
	const url = (typeof value === 'string' ? value : '')
		.trim()
		.replace(SLASHES_AT_END, '')
		.replace(/\/v1\.0$/, '')
		.replace(SLASHES_AT_END, '');
	const sign = /[?#]/.exec(url)?.[0];
	if (URL.canParse(url) && sign !== undefined) {
		// The rest is not quoted, because it may be the key.
		throw new InputError(
			`“${label}” in the credential has a “${sign}” after the address`,
			`Open the credential and remove everything from “${sign}” on.`,
		);
	}
	if (!URL.canParse(url) || !/^https?:\/\/[^/]/i.test(url)) {
		throw new InputError(
			`“${label}” in the credential is not a complete URL`,
			'Open the credential and enter only the address, starting with https://, e.g. https://api.example.com.',
		);
	}
	return url;
}

/** A fingerprint that only this account can create. It reveals neither the key nor the input. */
export type AccountDigest = (...parts: ReadonlyArray<string | number>) => string;

/** Keyed, because a plain hash of four digits or of a phone number is easy to reverse. */
export function accountDigest({ secretKey, baseUrl }: ServiceAccess): AccountDigest {
	const label = 'n8n-nodes-call-verification/account/v1';
	const key = Buffer.from(hkdfSync('sha256', secretKey, baseUrl, label, 32));
	return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

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
	const hasEmptyBody = fields !== undefined && Object.keys(fields).length === 0;
	if (request.method !== 'POST' || !hasEmptyBody) return { ...request, headers };
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
 * So the key is sent only to the address in the credential, and only by a route that nobody else can read, whichever
 * node sends it.
 */
function requireSafeRoute({ baseUrl }: ServiceAccess, request: LentRequest): void {
	const options: Record<string, unknown> = { ...request };
	const rejectIf = (isUnsafe: boolean, message: string, advice: string) => {
		if (isUnsafe) throw new InputError(`The key of this credential is ${message}`, advice);
	};
	rejectIf(
		!targetUrl(request).startsWith(`${withoutSlash(new URL(baseUrl).href)}/`),
		'only sent to the address in the credential',
		'Use a URL that starts with the base URL in the credential.',
	);
	rejectIf(
		DETOURS.some((name) => isSet(options[name])),
		'not sent through a proxy set in the node',
		'Remove the option “Proxy” from the node. n8n’s own proxy settings, such as HTTPS_PROXY, apply without it.',
	);
	rejectIf(
		!checksCertificates(options),
		'not sent without n8n’s own certificate checks',
		'Turn off “Ignore SSL Issues” in the node, and leave “CA” empty in its SSL certificates. If the service has a certificate from your own CA, set NODE_EXTRA_CA_CERTS where n8n runs.',
	);
	// Behind a CDN, servers share an address and differ only in this header.
	rejectIf(
		Object.keys(request.headers ?? {}).some((name) => name.trim().toLowerCase() === 'host'),
		'not sent with a “Host” header set in the node',
		'Remove the header “Host” from the node. n8n sets it from the URL.',
	);
	rejectIf(
		String(request.method).toUpperCase() === 'TRACE',
		'not sent with TRACE, which would return it',
		'Use the method GET or POST.',
	);
}

/** Normalized, so that `..`, `@` and a backslash mean the same here as when the request is sent. */
function targetUrl({ url, uri, baseURL }: LentRequest): string {
	const address = String(url ?? uri ?? '');
	// Anything but a plain path may override the base, depending on the parser.
	if (baseURL && !/^(?:\/(?![/\\])|$)/.test(address)) return '';
	const whole = baseURL ? `${withoutSlash(baseURL)}${address}` : address;
	return URL.canParse(whole) ? new URL(whole).href : '';
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

function checksCertificates(options: Record<string, unknown>): boolean {
	const isLeftAt = (safe: boolean, name: string) =>
		options[name] === undefined || options[name] === safe;
	// A client certificate says who sends the request. All other options say who may respond, or where.
	const isHarmless = ([name, value]: [string, unknown]) =>
		['cert', 'key', 'passphrase'].includes(name) || value === undefined;
	return (
		isLeftAt(true, 'rejectUnauthorized') &&
		isLeftAt(true, 'strictSSL') &&
		isLeftAt(false, 'skipSslCertificateValidation') &&
		Object.entries(options.agentOptions ?? {}).every(isHarmless)
	);
}

const isSet = (option: unknown) =>
	option !== undefined && option !== null && option !== '' && option !== false;
