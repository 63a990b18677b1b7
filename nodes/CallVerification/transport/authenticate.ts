import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { readAccess } from './address';
import { InputError } from '../contract/request';
import { NO_REDIRECTS, requireSafeRoute, type LentRequest } from './keyRoute';
import { isRecord } from '../contract/fields';

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
