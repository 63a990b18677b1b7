import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { InputError } from '../contract/request';
import { spellingsOf } from '../phones/numberSpelling';
import { addToQuery, withoutParameters } from './urlQuery';

/*
 * The service does not sign its webhooks, so the callback URL itself carries the proof: an expiry, a reference, the
 * issuer, a nonce, and a signature over all four, the phone number and the target. The number is not in the URL but
 * taken from the event, so a seal made for one person is worthless in an event about another. The target is whoever
 * checks the seal, so a seal for one target is worthless at another. The nonce makes each seal unique, so that a used
 * one can be remembered.
 */

export interface CallbackSeal {
	/** Digits only, as sent to the service. */
	phone: string;
	/** Unix time in seconds. */
	expiresAt: number;
	/** Free text that is returned with the event, e.g. a CRM ID. */
	reference: string;
	/** ID of the workflow that requests the call. */
	issuer: string;
	/** From `sealNonce`; unique per seal. */
	nonce: string;
	/** The only trigger or execution that may accept it; without it, all that share the secret key. */
	target?: string;
}

export type SealFailure = 'noKey' | 'missing' | 'malformed' | 'forged' | 'expired';

/** A valid seal. */
export interface TrueSeal {
	readonly ok: true;
	/** The number it was made for, however the event writes it. */
	readonly phone: string;
	readonly reference: string;
	readonly issuer: string;
	readonly expiresAt: number;
	readonly nonce: string;
}

export type SealCheck = TrueSeal | { ok: false; reason: SealFailure };

/** Counted in code points, so that an emoji is one character, as for the person who typed it. */
export const MAX_REFERENCE_LENGTH = 500;

// Part of every signature: changing it invalidates all callbacks in flight.
const SEAL_LABEL = 'n8n-nodes-call-verification/callback-seal/v3';

// The end of the year 9999. Low enough to detect milliseconds passed by mistake.
const LATEST_EXPIRY = 253_402_300_799;

const CANONICAL_EXPIRY = /^[1-9]\d{0,11}$/;
const BASE64URL_SHA256 = /^[\w-]{43}$/;
const NONCE_BYTES = 16;
const BASE64URL_NONCE = /^[\w-]{22}$/;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;
const SEAL_PARAMETER = /^(?:exp|ref|iss|nonce|sig)(?:\[|$)/;

// Far longer than n8n's IDs.
const LONGEST_ISSUER = 100;

// The number is sent as a JSON number, which loses leading zeros.
const PHONE_DIGITS = /^[1-9]\d{6,14}$/;

// Longer than any written number; the pattern below would run out of stack on megabytes.
const LONGEST_NUMBER = 1_000;

// Characters that only group digits. Letters, commas or a second plus could mean another number.
const WRITTEN_NUMBER = /^\+?[\d ().-]+$/;

/** 128 random bits: impossible to guess, and never the same twice. */
export function sealNonce(randomBytes: (size: number) => Buffer): string {
	return randomBytes(NONCE_BYTES).toString('base64url');
}

/** Replaces an earlier seal; the rest of the URL stays unchanged. */
export function sealCallback(url: string, seal: CallbackSeal, secretKey: string): string {
	const { phone, expiresAt, reference, issuer, nonce } = seal;
	if (!isUsableKey(secretKey)) {
		throw new InputError(
			'The callback cannot be protected because the secret key is empty',
			'Enter the secret key in the credential.',
		);
	}
	if (!PHONE_DIGITS.test(phone)) {
		throw new InputError(
			'The phone number does not have 7 to 15 digits',
			'Enter the number with its country code, without a leading zero.',
		);
	}
	if (!isExpiry(expiresAt)) {
		throw new InputError(
			'The expiry of the callback is not a Unix time in whole seconds',
			'Choose a time in the future, before the year 10000.',
		);
	}
	readReference(reference);
	const signature = sign(seal, secretKey);
	return addToQuery(
		withoutSeal(url),
		`exp=${expiresAt}&ref=${encodeURIComponent(reference)}&iss=${encodeURIComponent(issuer)}&nonce=${nonce}&sig=${signature}`,
	);
}

/** Text that fits into a seal. */
export function readReference(value: unknown): string {
	const reference = String(value);
	if (UNPAIRED_SURROGATE.test(reference)) {
		throw new InputError(
			'“Reference” contains an incomplete character',
			'This happens when text is cut in the middle of an emoji. Cut it somewhere else.',
		);
	}
	if (!fitsReference(reference)) {
		throw new InputError(
			`“Reference” is longer than ${MAX_REFERENCE_LENGTH} characters`,
			'Pass an ID, and look up the rest when the call arrives.',
		);
	}
	return reference;
}

/**
 * Whether an event is genuine. Takes the query as the web server parsed it and the number as the event has it; never
 * throws. `nowSeconds` has the unit of `expiresAt`: milliseconds passed by mistake would reject everything, where the
 * opposite mistake would accept everything.
 */
export function checkSeal(
	query: unknown,
	clientNumber: unknown,
	secretKey: string,
	nowSeconds: number,
	target?: string,
): SealCheck {
	if (!isUsableKey(secretKey)) return refused('noKey');

	const exp = ownValue(query, 'exp');
	const ref = ownValue(query, 'ref');
	const iss = ownValue(query, 'iss');
	const nonce = ownValue(query, 'nonce');
	const sig = ownValue(query, 'sig');
	if ([exp, ref, iss, nonce, sig].includes(undefined)) return refused('missing');

	const phones = possiblePhones(clientNumber);
	const expiresAt = readExpiry(exp);
	if (phones.length === 0 || expiresAt === undefined) return refused('malformed');
	if (!isReference(ref) || !isIssuer(iss)) return refused('malformed');
	if (!isNonce(nonce) || !isSignature(sig)) return refused('malformed');

	const isSignedFor = (phone: string, taker: string | undefined) => {
		const seal = { phone, expiresAt, reference: ref, issuer: iss, nonce, target: taker };
		// As text, not decoded, because the spare bits of the last character allow four spellings.
		return timingSafeEqual(Buffer.from(sig), Buffer.from(sign(seal, secretKey)));
	};
	const takers = [...new Set([target, undefined])];
	const phone = phones.find((digits) => takers.some((taker) => isSignedFor(digits, taker)));
	if (phone === undefined) return refused('forged');

	// After the signature, so that only the holder of a genuine seal learns that it has expired.
	if (!Number.isFinite(nowSeconds) || nowSeconds >= expiresAt) return refused('expired');
	return { ok: true, phone, reference: ref, issuer: iss, expiresAt, nonce };
}

/** The URL without its seal, for outputs: nobody who reads it can use it as proof. */
export function withoutSeal(url: string): string {
	return withoutParameters(url, (name) => SEAL_PARAMETER.test(name));
}

function sign(
	{ phone, expiresAt, reference, issuer, nonce, target }: CallbackSeal,
	secretKey: string,
): string {
	// The secret key is an API key too. A derived key keeps the two uses apart and, unlike HMAC's own padding, is
	// different for every secret.
	const sealingKey = Buffer.from(hkdfSync('sha256', secretKey, '', SEAL_LABEL, 32));
	const always = [phone, expiresAt, reference, issuer, nonce];
	const signed = target === undefined ? always : [...always, target];
	return createHmac('sha256', sealingKey).update(JSON.stringify(signed)).digest('base64url');
}

function refused(reason: SealFailure): SealCheck {
	return { ok: false, reason };
}

// Unpaired surrogates would all be hashed as the same replacement character.
function isUsableKey(secretKey: string): boolean {
	return secretKey.trim() !== '' && !UNPAIRED_SURROGATE.test(secretKey);
}

function isExpiry(value: number): boolean {
	return Number.isInteger(value) && value > 0 && value <= LATEST_EXPIRY;
}

function readExpiry(value: unknown): number | undefined {
	if (typeof value !== 'string' || !CANONICAL_EXPIRY.test(value)) return undefined;
	const expiresAt = Number(value);
	return isExpiry(expiresAt) ? expiresAt : undefined;
}

function fitsReference(text: string): boolean {
	// A code point has at most two units, so a huge text is refused without being split.
	return text.length <= 2 * MAX_REFERENCE_LENGTH && [...text].length <= MAX_REFERENCE_LENGTH;
}

function isReference(value: unknown): value is string {
	return typeof value === 'string' && fitsReference(value) && !UNPAIRED_SURROGATE.test(value);
}

function isIssuer(value: unknown): value is string {
	if (typeof value !== 'string' || value.length > LONGEST_ISSUER) return false;
	return !UNPAIRED_SURROGATE.test(value);
}

function isNonce(value: unknown): value is string {
	return typeof value === 'string' && BASE64URL_NONCE.test(value);
}

function isSignature(value: unknown): value is string {
	return typeof value === 'string' && BASE64URL_SHA256.test(value);
}

function possiblePhones(clientNumber: unknown): string[] {
	if (typeof clientNumber !== 'string' || clientNumber.length > LONGEST_NUMBER) return [];
	if (!WRITTEN_NUMBER.test(clientNumber)) return [];
	return spellingsOf(clientNumber).filter((digits) => PHONE_DIGITS.test(digits));
}

// Only own values and no getters, because the query comes from a stranger.
function ownValue(query: unknown, name: string): unknown {
	if (typeof query !== 'object' || query === null) return undefined;
	return Object.getOwnPropertyDescriptor(query, name)?.value;
}
