import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

import { spellingsOf } from '../phones/phone';
import { InputError } from '../contract/request';

/**
 * The service does not sign its webhooks, so the callback URL carries the proof: an expiry, a reference, the issuer, a
 * nonce, and a MAC of all four, the phone number and the target. The number is taken from the event, and the target is
 * whoever checks the seal, so that a seal for one person or target is worthless for another. The nonce makes each seal
 * unique, so that a used one can be remembered.
 */
export interface CallbackSeal {
	/** Digits only, as sent to the service. */
	readonly phone: string;
	/** Unix time in seconds. */
	readonly expiresAt: number;
	readonly reference: string;
	/** ID of the workflow that requests the call. */
	readonly issuer: string;
	readonly nonce: string;
	/** The only trigger or execution that may accept it; without it, all that share the secret key. */
	readonly target?: string;
}

export type SealFailure = 'noKey' | 'missing' | 'malformed' | 'forged' | 'expired';

/** A valid seal, with the number it was made for, however the event writes it. */
export type TrueSeal = Omit<CallbackSeal, 'target'>;

/** Counted in code points, so that an emoji is one character, as for the person who typed it. */
export const MAX_REFERENCE_LENGTH = 500;

// A change invalidates all callbacks in flight.
const SEAL_LABEL = 'n8n-nodes-call-verification/callback-seal/v3';
const CANONICAL_EXPIRY = /^[1-9]\d{0,11}$/;
const BASE64URL_SHA256 = /^[\w-]{43}$/;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;
const SEAL_PARAMETERS = ['exp', 'ref', 'iss', 'nonce', 'sig'];
// The number is sent as a JSON number, which loses leading zeros.
const PHONE_DIGITS = /^[1-9]\d{6,14}$/;
// Letters, commas or a second plus could mean another number.
const WRITTEN_NUMBER = /^\+?[\d ().-]+$/;

/** Impossible to guess, and never the same twice. */
export const sealNonce = (randomBytes: (size: number) => Buffer) =>
	randomBytes(16).toString('base64url');

/** Replaces an earlier seal; the rest of the URL stays unchanged. */
export function sealCallback(url: string, seal: CallbackSeal, secretKey: string): string {
	if (!isUsableKey(secretKey)) {
		throw new InputError(
			'The callback cannot be protected because the secret key is empty',
			'Enter the secret key in the credential.',
		);
	}
	const { expiresAt, reference, issuer, nonce } = seal;
	const { path, query, fragment } = splitUrl(withoutSeal(url));
	const before = query === '' ? '' : `${query}&`;
	const proof = `exp=${expiresAt}&ref=${encodeURIComponent(reference)}&iss=${encodeURIComponent(issuer)}&nonce=${nonce}&sig=${macOf(seal, secretKey)}`;
	return `${path}?${before}${proof}${fragment}`;
}

export function readReference(value: unknown): string {
	const reference = String(value);
	if (UNPAIRED_SURROGATE.test(reference)) {
		throw new InputError(
			'“Reference” contains an incomplete character',
			'This happens when text is cut in the middle of an emoji. Cut it somewhere else.',
		);
	}
	if ([...reference].length > MAX_REFERENCE_LENGTH) {
		throw new InputError(
			`“Reference” is longer than ${MAX_REFERENCE_LENGTH} characters`,
			'Pass an ID, and look up the rest when the call arrives.',
		);
	}
	return reference;
}

/** Takes seconds, because milliseconds by mistake reject everything; the opposite mistake would accept everything. */
export function checkSeal(
	query: Readonly<Record<string, unknown>>,
	clientNumber: string,
	secretKey: string,
	nowSeconds: number,
	target?: string,
): TrueSeal | SealFailure {
	if (!isUsableKey(secretKey)) return 'noKey';

	// Only own values, because a stranger may bring a prototype.
	const own = new Map(Object.entries(query));
	const given = SEAL_PARAMETERS.map((name) => own.get(name));
	if (given.includes(undefined)) return 'missing';
	if (!given.every((value) => typeof value === 'string')) return 'malformed';

	const [exp = '', reference = '', issuer = '', nonce = '', mac = ''] = given;
	const isReadable = CANONICAL_EXPIRY.test(exp) && BASE64URL_SHA256.test(mac);
	if (!isReadable || !WRITTEN_NUMBER.test(clientNumber)) return 'malformed';
	const phones = spellingsOf(clientNumber).filter((digits) => PHONE_DIGITS.test(digits));
	if (phones.length === 0) return 'malformed';

	const expiresAt = Number(exp);
	const isMadeFor = (phone: string, taker: string | undefined) => {
		const seal = { phone, expiresAt, reference, issuer, nonce, target: taker };
		// As text, not decoded, because the spare bits of the last character allow four spellings.
		return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(seal, secretKey)));
	};
	const takers = [...new Set([target, undefined])];
	const phone = phones.find((digits) => takers.some((taker) => isMadeFor(digits, taker)));
	if (phone === undefined) return 'forged';

	// Last, so that only the holder of a genuine seal learns that it has expired.
	if (!Number.isFinite(nowSeconds) || nowSeconds >= expiresAt) return 'expired';
	return { phone, reference, issuer, expiresAt, nonce };
}

/** The URL without its seal, for outputs: nobody who reads it can use it as proof. */
export function withoutSeal(url: string): string {
	const { path, query, fragment } = splitUrl(url);
	const all = query.split('&');
	const kept = all.filter((parameter) => !SEAL_PARAMETERS.includes(nameOf(parameter)));
	if (kept.length === all.length) return url;
	return kept.length === 0 ? path + fragment : `${path}?${kept.join('&')}${fragment}`;
}

/** URLSearchParams would encode the query anew, and n8n's token on a resume URL must stay unchanged. */
function splitUrl(url: string) {
	const [, path = '', query = '', fragment = ''] = /([^?#]*)\??([^#]*)(.*)/s.exec(url) ?? [];
	return { path, query, fragment };
}

/** Without the brackets of a list. After an “&”, because URLSearchParams drops a question mark at the start. */
function nameOf(parameter: string): string {
	const [name = ''] = new URLSearchParams(`&${parameter}`).keys();
	return name.replace(/\[.*/s, '');
}

function macOf(seal: CallbackSeal, secretKey: string): string {
	const { phone, expiresAt, reference, issuer, nonce, target } = seal;
	// The secret key is an API key too. A derived key keeps the two uses apart and, unlike HMAC's own padding, is
	// different for every secret.
	const sealingKey = Buffer.from(hkdfSync('sha256', secretKey, '', SEAL_LABEL, 32));
	const sealed = [phone, expiresAt, reference, issuer, nonce];
	if (target !== undefined) sealed.push(target);
	return createHmac('sha256', sealingKey).update(JSON.stringify(sealed)).digest('base64url');
}

// Unpaired surrogates would all be hashed as the same replacement character.
const isUsableKey = (secretKey: string) =>
	secretKey.trim() !== '' && !UNPAIRED_SURROGATE.test(secretKey);
