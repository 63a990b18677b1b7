import { createHmac, hkdfSync } from 'node:crypto';

import type { ServiceAccess } from './address';

/** A fingerprint that only this account makes. It tells neither the key nor what went in. */
export type AccountDigest = (...parts: ReadonlyArray<string | number>) => string;

const LABEL = 'n8n-nodes-call-verification/account/v1';

/** Keyed, because four digits, or a phone number, are soon found behind a plain hash. */
export function accountDigest({ secretKey, baseUrls }: ServiceAccess): AccountDigest {
	const key = Buffer.from(hkdfSync('sha256', secretKey, baseUrls[0], LABEL, 32));
	return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}
