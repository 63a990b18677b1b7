import { createHmac, hkdfSync } from 'node:crypto';

import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHttpRequestOptions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';
import type { HttpResponse } from './response';

/** The credential as the nodes, the seal and its own `authenticate` read it. */
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

export async function readCredential(context: Context): Promise<ServiceAccess> {
	return readAccess(await credentialData(context));
}

/** What a run needs to send requests with its credential. */
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

/** On top of n8n's request helper. */
export async function connect(context: Context): Promise<Connection> {
	const data = await credentialData(context);
	// Without it, n8n would read and decrypt the credential for every request.
	const credentialsDecrypted = decrypted(context, data);
	return {
		access: readAccess(data),
		httpRequest: (http, abort) =>
			context.helpers.httpRequestWithAuthentication.call(
				withCancelSignal(context, abort),
				CREDENTIAL,
				http,
				{ credentialsDecrypted },
			) as Promise<HttpResponse>,
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

/** In the form that n8n's request helper expects. */
function decrypted(context: Context, data: ICredentialDataDecryptedObject): ICredentialsDecrypted {
	const { id, name } = context.getNode().credentials?.[CREDENTIAL] ?? { id: null, name: '' };
	return { id: id ?? '', name, type: CREDENTIAL, data };
}

/**
 * n8n's helper cancels a request with the signal of its caller, which belongs to the whole run. A separate signal
 * closes the connection on a timeout, and saves the run's signal a listener per request.
 */
function withCancelSignal<T extends object>(context: T, signal: AbortSignal | undefined): T {
	return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as T;
}

// Matches each run of slashes once; the plain pattern would start again at every slash.
const SLASHES_AT_END = /(?<!\/)\/+$/;

export function readAccess(credential: unknown): ServiceAccess {
	const { baseUrl, alternateBaseUrl, addressMode, secretKey, serviceId } = isRecord(credential)
		? credential
		: {};
	return {
		baseUrl:
			addressMode === 'alternate'
				? readBaseUrl(alternateBaseUrl, 'Alternate Base URL')
				: readBaseUrl(baseUrl, 'Base URL'),
		secretKey: pasted(secretKey),
		serviceId: pasted(serviceId),
	};
}

/** A copied key often has a space or a line break with it. */
function pasted(value: unknown): string {
	return String(value ?? '').trim();
}

/** Tolerates trailing slashes and a pasted `/v1.0`. */
export function readBaseUrl(value: unknown, label: string): string {
	const url = (typeof value === 'string' ? value : '')
		.trim()
		.replace(SLASHES_AT_END, '')
		.replace(/\/v1\.0$/, '')
		.replace(SLASHES_AT_END, '');
	const [sign] = /[?#]/.exec(url) ?? [];
	if (URL.canParse(url) && sign !== undefined) {
		// The rest is not quoted, because it may be the key.
		throw new InputError(
			`“${label}” in the credential has a “${sign}” after the address`,
			`Open the credential and remove everything from “${sign}” on.`,
		);
	}
	if (!URL.canParse(url) || !/^https?:\/\/[^/?#][^?#]*$/i.test(url)) {
		throw new InputError(
			`“${label}” in the credential is not a complete URL`,
			'Open the credential and enter only the address, starting with https://, e.g. https://api.example.com.',
		);
	}
	return url;
}

/** A fingerprint that only this account can create. It reveals neither the key nor the input. */
export type AccountDigest = (...parts: ReadonlyArray<string | number>) => string;

const DIGEST_LABEL = 'n8n-nodes-call-verification/account/v1';

/** Keyed, because a plain hash of four digits or of a phone number is easy to reverse. */
export function accountDigest({ secretKey, baseUrl }: ServiceAccess): AccountDigest {
	const key = Buffer.from(hkdfSync('sha256', secretKey, baseUrl, DIGEST_LABEL, 32));
	return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}
