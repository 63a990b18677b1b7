import type { Emulator } from '../../emulator/emulator';
import type { N8nClient } from '../../harness';
import { createSiteCredential } from '../../harness/workflows/siteRequests';

const NAME = 'Call Verification account';
const TYPE = 'callVerificationApi';

/** Signs the tokens that the examples' webhooks require. They can only be reached from this machine. */
export const SITE_SECRET = 'call-verification';
const JWT_AUTH = 'jwtAuth';

/** The credential types that are available to the examples. */
export const STAND_IN_TYPES: readonly string[] = [TYPE, JWT_AUTH];

/** Provides the credentials that the examples need, under n8n's default names, by which they find them. */
export async function standInCredentials(client: N8nClient, emulator: Emulator): Promise<void> {
	const { credentials } = client;
	const known = await credentials.list();
	await forTheService(credentials, known, emulator);
	if (!known.some(({ type }) => type === JWT_AUTH)) {
		await createSiteCredential(client, 'JWT Auth account', SITE_SECRET);
	}
}

/** A credential that the user has pointed at another service belongs to the user. */
async function forTheService(
	credentials: N8nClient['credentials'],
	known: Awaited<ReturnType<N8nClient['credentials']['list']>>,
	emulator: Emulator,
): Promise<void> {
	const data = {
		baseUrl: emulator.url,
		secretKey: emulator.secretKey,
		serviceId: emulator.serviceId,
		authScheme: 'header',
		addressMode: 'primary',
	};
	const found = known.find(({ name, type }) => name === NAME && type === TYPE);
	if (found === undefined) {
		await credentials.create(NAME, TYPE, data);
		return;
	}
	const { baseUrl } = await credentials.data(found);
	if (baseUrl !== emulator.url && isStandIn(String(baseUrl))) await credentials.update(found, data);
}

/** On any port, because an earlier start may have found its usual port in use. */
function isStandIn(baseUrl: string): boolean {
	return /^http:\/\/127\.0\.0\.1:\d+$/.test(baseUrl);
}
