import { type Emulator, startEmulator } from '../emulator/emulator';
import {
	completeSettings,
	type EmulatorOptions,
	isServiceName,
	type ServiceName,
} from '../emulator/played/services';
import { wireRecord } from '../emulator/wire/answers';
import type { Credential, N8nClient } from '.';

/** The service that tests run against: SERVICE_AS=ucaller, or that of the contract. */
export function serviceAs(): ServiceName {
	const { SERVICE_AS: as = 'contract' } = process.env;
	if (isServiceName(as)) return as;
	throw new Error(`SERVICE_AS is ${as}, which the emulator cannot play`);
}

/** The emulated service. Tests call one number many times, so it has no limits but those that a test sets. */
export async function startService(settings: EmulatorOptions = {}): Promise<Emulator> {
	const { requestsPerSecondLimit, numberLimits } = completeSettings({ as: 'contract' });
	return await startEmulator({
		as: serviceAs(),
		requestsPerSecondLimit,
		numberLimits,
		...settings,
	});
}

/** A response that a test has written in the contract's names, with the names that the service has. */
export function responseInItsNames(body: unknown): unknown {
	if (!isRecord(body)) return body;
	const { fieldNames } = completeSettings({ as: serviceAs() });
	return wireRecord(body, { fieldNames, leftOutIfEmpty: [] });
}

/** An event that a test has written, as the service sends it. */
export function eventAsItSends(body: unknown): unknown {
	if (!isRecord(body) || completeSettings({ as: serviceAs() }).eventOperators === 'empty')
		return body;
	const unnamed = ['operatorName', 'operatorNameMnp'].filter((name) => body[name] === '');
	return { ...body, ...Object.fromEntries(unnamed.map((name) => [name, null])) };
}

function isRecord(body: unknown): body is Record<string, unknown> {
	return typeof body === 'object' && body !== null && !Array.isArray(body);
}

export const CREDENTIAL_TYPE = 'callVerificationApi';

type CredentialData = Readonly<Record<string, string>>;

export interface EmulatedService {
	readonly emulator: Emulator;
	readonly credential: Credential;
	readonly data: CredentialData;
}

/** An emulated service for one test, and a credential in n8n that points to it. */
export async function startEmulatedService(
	client: N8nClient,
	settings: EmulatorOptions = {},
	changes: CredentialData = {},
): Promise<EmulatedService> {
	const emulator = await startService({ callResultAfterMs: 300, ...settings });
	const data = credentialData(emulator, changes);
	const credential = await client.credentials.create(
		`Service at ${emulator.url}`,
		CREDENTIAL_TYPE,
		data,
	);
	return { emulator, credential, data };
}

export function credentialData(
	{ url, secretKey, serviceId }: Pick<Emulator, 'url' | 'secretKey' | 'serviceId'>,
	changes: CredentialData = {},
): CredentialData {
	return {
		baseUrl: url,
		secretKey,
		serviceId,
		authScheme: 'header',
		alternateBaseUrl: '',
		addressMode: 'primary',
		...changes,
	};
}
