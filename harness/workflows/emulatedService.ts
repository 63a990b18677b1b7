import type { Emulator } from '../../emulator/emulator';
import type { EmulatorOptions } from '../../emulator/services';
import type { Credential, N8nClient } from '..';
import { startService } from '../service';

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
