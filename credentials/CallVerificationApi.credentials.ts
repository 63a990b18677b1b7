import type {
	IAuthenticateRuleResponseSuccessBody,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { readAccess } from '../nodes/CallVerification/api/address';
import { InputError } from '../nodes/CallVerification/api/errors';
import {
	NO_REDIRECTS,
	requireSafeRoute,
	type LentRequest,
} from '../nodes/CallVerification/api/keyRoute';
import { PUBLIC_PLAIN_HTTP } from '../nodes/CallVerification/api/privateHost';
import { isRecord } from '../nodes/CallVerification/api/record';

const WRONG_KEY =
	'The service refused the key. Check Secret Key, Service ID and Authentication Scheme.';
const WRONG_ADDRESS =
	'This address does not belong to the verification service. Check Base URL (and Alternate Base URL, if Address uses it).';
const MOVED =
	'This address redirects to another one. The key is not sent there: enter the final address as Base URL.';
const TOO_MANY = 'The service receives too many requests at the moment. Try again in a minute.';
const DOWN =
	'The service is down or has a problem of its own. The key was not checked; try again later.';
const REFUSED =
	'The service refused the request. Check Secret Key, Service ID and Authentication Scheme, and whether the service is active in your personal cabinet.';

const NEEDS_JSON = 'With the authentication scheme “JSON Body”, the body must be a JSON object';
const USE_JSON =
	'Set “Body Content Type” of the node to JSON, or choose the scheme “Header” in the credential, which takes any body.';

/** Statuses that may come as the HTTP status or, with HTTP 200, as the `code` of the error object. */
const STATUS_MESSAGES: ReadonlyArray<readonly [status: number, message: string]> = [
	[401, WRONG_KEY],
	[403, WRONG_KEY],
	[301, MOVED],
	[302, MOVED],
	[303, MOVED],
	[307, MOVED],
	[308, MOVED],
	[400, WRONG_ADDRESS],
	[404, WRONG_ADDRESS],
	[405, WRONG_ADDRESS],
	[410, WRONG_ADDRESS],
	[429, TOO_MANY],
	[500, DOWN],
	[502, DOWN],
	[503, DOWN],
	[504, DOWN],
];

const TEST_RULES = [
	...STATUS_MESSAGES.map(([value, message]) => ({
		type: 'responseCode' as const,
		properties: { value, message },
	})),
	...STATUS_MESSAGES.map(([value, message]) => ({
		type: 'responseSuccessBody' as const,
		properties: { key: 'code', value, message },
	})),
	{
		type: 'responseSuccessBody' as const,
		properties: { key: 'status', value: false, message: REFUSED },
	},
	{
		type: 'responseSuccessBody' as const,
		properties: { key: 'rub_balance', value: undefined, message: WRONG_ADDRESS },
	},
	// n8n reads each rule by its own type; only its typing wants a list of one kind.
] as IAuthenticateRuleResponseSuccessBody[];

/** The key and the service ID, in the place that the chosen scheme wants; never in two. */
async function authenticate(
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
	// A GET has no body, so there the body scheme gives way to the header.
	const headers = { ...request.headers, Authorization: `Bearer ${key}.${service_id}` };
	if (request.method !== 'POST' || !fields || Object.keys(fields).length > 0) {
		return { ...request, headers };
	}
	// n8n drops an empty object, but a POST of this service carries JSON; as a text it stays.
	return { ...request, body: '{}', headers: { ...headers, 'Content-Type': 'application/json' } };
}

/** The fields of a JSON object, or of no body at all; `undefined` for what has to go out as written. */
function fieldsOf({ body, form, formData }: LentRequest): IDataObject | undefined {
	if (form !== undefined || formData !== undefined) return undefined;
	if (body === undefined || body === null || body === '') return {};
	return isJsonObject(body) ? { ...body } : undefined;
}

/** Not a list, a file, a stream or a form, which are objects, too. */
function isJsonObject(value: unknown): value is IDataObject {
	if (!isRecord(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export class CallVerificationApi implements ICredentialType {
	name = 'callVerificationApi';

	displayName = 'Call Verification API';

	icon: Icon = {
		light: 'file:../icons/callVerification.svg',
		dark: 'file:../icons/callVerification.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-call-verification/n8n-nodes-call-verification#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com',
			description: 'Address of your verification service, as its operator gave it to you',
		},
		{
			displayName:
				'Requests to an address with http:// are unencrypted: your key can be read on the way. Use https:// outside your own network.',
			name: 'plainHttpNotice',
			type: 'notice',
			default: '',
			displayOptions: {
				show: {
					addressMode: ['primary', 'fallback'],
					baseUrl: [{ _cnd: { regex: PUBLIC_PLAIN_HTTP } }],
				},
			},
		},
		{
			displayName: 'Secret Key',
			name: 'secretKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Secret key of your service, from the section My services of the personal cabinet',
		},
		{
			displayName: 'Service ID',
			name: 'serviceId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 1001',
			description: 'Identifier of your service, shown beside its secret key',
		},
		{
			displayName: 'Authentication Scheme',
			name: 'authScheme',
			type: 'options',
			options: [
				{
					name: 'Header',
					value: 'header',
					description: 'Key and service ID in the header of every request, the usual way',
				},
				{
					name: 'JSON Body',
					value: 'body',
					description: 'Key and service ID in the body of every request',
				},
				{
					name: 'Query String',
					value: 'query',
					description:
						'Key and service ID in the address of every request, where servers and proxies may log them',
				},
			],
			default: 'header',
			description:
				'How the key is sent. Keep Header unless the service refuses a key that is right.',
		},
		{
			displayName: 'Alternate Base URL',
			name: 'alternateBaseUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. http://alt.example.com',
			description: 'Second address of the service, for countries that block the first one',
		},
		{
			displayName: 'Address',
			name: 'addressMode',
			type: 'options',
			options: [
				{ name: 'Base URL Only', value: 'primary' },
				{ name: 'Base URL, Alternate if Unreachable', value: 'fallback' },
				{ name: 'Alternate Base URL Only', value: 'alternate' },
			],
			default: 'primary',
			description: 'Which of the two addresses requests go to',
		},
		{
			displayName:
				'Requests to the alternate address are unencrypted: your key can be read on the way. Use it only where the first address is blocked.',
			name: 'alternateNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { addressMode: ['fallback', 'alternate'] } },
		},
	];

	authenticate = authenticate;

	test: ICredentialTestRequest = {
		request: {
			baseURL:
				'={{ String(($credentials.addressMode === "alternate" ? $credentials.alternateBaseUrl : $credentials.baseUrl) || "").trim().replace(/\\/+$/, "").replace(/\\/v1\\.0$/, "").replace(/\\/+$/, "") }}',
			url: '/v1.0/getBalance',
			method: 'POST',
			json: true,
			timeout: 15_000,
			disableFollowRedirect: true,
		},
		rules: TEST_RULES,
	};
}
