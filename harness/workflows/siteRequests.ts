import { createHmac } from 'node:crypto';
import type { Credential, N8nClient } from '..';

/** Known to the site's server and to its credential in n8n. */
export const SITE_SECRET = 'a-long-random-value-of-the-site';

const SECONDS = 60;

/** The credential that the examples' notes ask for at their webhooks, by type. */
export async function createSiteCredential(
	{ credentials }: N8nClient,
	name: string,
	secret = SITE_SECRET,
): Promise<Readonly<Record<'jwtAuth', Credential>>> {
	const data = { keyType: 'passphrase', secret, algorithm: 'HS256' };
	return { jwtAuth: await credentials.create(name, 'jwtAuth', data) };
}

/** What the site's server sends with each of its requests. */
export function siteHeaders(secret = SITE_SECRET): Readonly<Record<string, string>> {
	return bearer({ exp: Math.floor(Date.now() / 1_000) + SECONDS }, { secret });
}

/** With any claims, and signed in any way. */
export function bearer(
	claims: object,
	{ secret = SITE_SECRET, alg = 'HS256' } = {},
): Readonly<Record<string, string>> {
	const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
	const signed = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
	const signature =
		alg === 'none' ? '' : createHmac('sha256', secret).update(signed).digest('base64url');
	return { authorization: `Bearer ${signed}.${signature}` };
}
