import { createHmac, hkdfSync } from 'node:crypto';

import type { ServiceAccess } from './address';

/** A fingerprint that only this account can create. It reveals neither the key nor the input. */
export type AccountDigest = (...parts: ReadonlyArray<string | number>) => string;

const LABEL = 'n8n-nodes-call-verification/account/v1';

/** Keyed, because a plain hash of four digits or of a phone number is easy to reverse. */
export function accountDigest({ secretKey, baseUrl }: ServiceAccess): AccountDigest {
	const key = Buffer.from(hkdfSync('sha256', secretKey, baseUrl, LABEL, 32));
	return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}
