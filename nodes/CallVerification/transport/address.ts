import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';

/** The credential as the nodes, the seal and its own `authenticate` read it. */
export interface ServiceAccess {
	readonly baseUrl: string;
	/** Kept out of every error. */
	readonly secretKey: string;
	readonly serviceId: string;
}

// Matches each run of slashes once; the plain pattern would start again at every slash.
const SLASHES_AT_END = /(?<!\/)\/+$/;

export function readAccess(credential: unknown): ServiceAccess {
	const { baseUrl, alternateBaseUrl, addressMode, secretKey, serviceId } = isRecord(credential)
		? credential
		: {};
	return {
		baseUrl:
			addressMode === 'alternate'
				? readBaseUrl(alternateBaseUrl, 'Alternate Base URL')
				: readBaseUrl(baseUrl, 'Base URL'),
		secretKey: pasted(secretKey),
		serviceId: pasted(serviceId),
	};
}

/** A copied key often has a space or a line break with it. */
function pasted(value: unknown): string {
	return String(value ?? '').trim();
}

/** Tolerates trailing slashes and a pasted `/v1.0`. */
export function readBaseUrl(value: unknown, label: string): string {
	const url = (typeof value === 'string' ? value : '')
		.trim()
		.replace(SLASHES_AT_END, '')
		.replace(/\/v1\.0$/, '')
		.replace(SLASHES_AT_END, '');
	const [sign] = /[?#]/.exec(url) ?? [];
	if (URL.canParse(url) && sign !== undefined) {
		// The rest is not quoted, because it may be the key.
		throw new InputError(
			`“${label}” in the credential has a “${sign}” after the address`,
			`Open the credential and remove everything from “${sign}” on.`,
		);
	}
	if (!URL.canParse(url) || !/^https?:\/\/[^/?#][^?#]*$/i.test(url)) {
		throw new InputError(
			`“${label}” in the credential is not a complete URL`,
			'Open the credential and enter only the address, starting with https://, e.g. https://api.example.com.',
		);
	}
	return url;
}

export function methodUrl(baseUrl: string, method: string): string {
	return `${baseUrl}/v1.0/${method}`;
}
