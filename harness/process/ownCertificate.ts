import { execFileSync } from 'node:child_process';

export interface Certificate {
	readonly key: string;
	readonly cert: string;
}

/** Created for each run and valid for one day, so no private key is ever stored. */
export function ownCertificate(subjectAltName = 'IP:127.0.0.1'): Certificate {
	const flags =
		'-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=test';
	const pem = execFileSync(
		'openssl',
		['req', ...flags.split(' '), '-addext', `subjectAltName=${subjectAltName}`, '-keyout', '-'],
		{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
	);
	return { key: block(pem, 'PRIVATE KEY'), cert: block(pem, 'CERTIFICATE') };
}

function block(pem: string, label: string): string {
	const [found] =
		new RegExp(`-----BEGIN ${label}-----.*-----END ${label}-----`, 's').exec(pem) ?? [];
	if (found === undefined) throw new Error(`openssl printed no ${label.toLowerCase()}`);
	return found;
}
