import type { Emulator } from '../../test/emulator/emulator';
import type { N8nClient } from '../../test/real-n8n';

const NAME = 'Call Verification account';
const TYPE = 'callVerificationApi';

/**
 * Makes sure of a credential for the stand-in, under the name that n8n itself would give it, by which the examples find
 * it. One that the user has pointed at another service is the user's.
 */
export async function standInCredential(
	{ credentials }: N8nClient,
	emulator: Emulator,
): Promise<void> {
	const data = {
		baseUrl: emulator.url,
		secretKey: emulator.secretKey,
		serviceId: emulator.serviceId,
		authScheme: 'header',
		addressMode: 'primary',
	};
	const found = (await credentials.list()).find(({ name, type }) => name === NAME && type === TYPE);
	if (found === undefined) {
		await credentials.create(NAME, TYPE, data);
		return;
	}
	const { baseUrl } = await credentials.data(found);
	if (baseUrl !== emulator.url && isStandIn(String(baseUrl))) await credentials.update(found, data);
}

/** An earlier start may have found its usual port in use. */
function isStandIn(baseUrl: string): boolean {
	return /^http:\/\/127\.0\.0\.1:\d+$/.test(baseUrl);
}
