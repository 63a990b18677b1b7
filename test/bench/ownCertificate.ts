import { execFileSync } from 'node:child_process';

export interface Certificate {
	readonly key: string;
	readonly cert: string;
}

/** For the loopback address and one day, made for each run: no private key is stored. */
export function ownCertificate(): Certificate {
	const pem = execFileSync(
		'openssl',
		[
			...['req', '-x509', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.1', '-keyout', '-'],
			...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
			...['-addext', 'subjectAltName=IP:127.0.0.1'],
		],
		{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
	);
	const [key = '', cert = ''] = pem.split(/(?=-----BEGIN CERTIFICATE-----)/);
	return { key, cert };
}
