import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { InputError } from './errors';
import { addToQuery, withoutParameters } from './urlQuery';

/*
 * The service does not sign its webhooks, so the callback URL itself carries the proof: an expiry,
 * a reference, a nonce, and a signature over all three, the phone number and the target. The number is
 * not in the URL; it is taken from the event, so a seal made for one person is worth nothing in an event
 * about another. Likewise the target is the one that checks, so a seal for one is worth nothing at
 * another. The nonce makes each seal different, so that whoever checks it can remember that it was used.
 */

export interface CallbackSeal {
	/** Digits only, as they go to the service. */
	phone: string;
	/** Unix time in seconds. */
	expiresAt: number;
	/** Free text that comes out again with the event, e.g. a CRM id. */
	reference: string;
	/** From `sealNonce`; no two seals have the same. */
	nonce: string;
	/** The one trigger or execution that may take it; without it, all that share the secret key. */
	target?: string;
}

export type SealFailure = 'noKey' | 'missing' | 'malformed' | 'forged' | 'expired';

/** A seal that was found right. */
export interface TrueSeal {
	readonly ok: true;
	readonly reference: string;
	readonly expiresAt: number;
	readonly nonce: string;
}

export type SealCheck = TrueSeal | { ok: false; reason: SealFailure };

/** Counted in code points, so that an emoji is one character, as it is for the person who typed it. */
export const MAX_REFERENCE_LENGTH = 500;

// Part of every signature: a change makes all callbacks that are still in flight invalid.
const SEAL_LABEL = 'n8n-nodes-call-verification/callback-seal/v2';

// The end of the year 9999. Low enough that milliseconds passed by mistake are noticed.
const LATEST_EXPIRY = 253_402_300_799;

const CANONICAL_EXPIRY = /^[1-9]\d{0,11}$/;
const BASE64URL_SHA256 = /^[\w-]{43}$/;
const NONCE_BYTES = 16;
const BASE64URL_NONCE = /^[\w-]{22}$/;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;
const SEAL_PARAMETER = /^(?:exp|ref|nonce|sig)(?:\[|$)/;

// The number travels as a JSON number, which would lose a leading zero on the way.
const PHONE_DIGITS = /^[1-9]\d{6,14}$/;

// Far above any way to write a number; a pattern runs out of stack on megabytes.
const LONGEST_NUMBER = 1_000;

// Signs that only group digits. Letters, commas or a second plus could mean another number.
const WRITTEN_NUMBER = /^\+?[\d ().-]+$/;

/** 128 random bits: nobody guesses one, and no two seals ever share one. */
export function sealNonce(randomBytes: (size: number) => Buffer): string {
	return randomBytes(NONCE_BYTES).toString('base64url');
}

/** Replaces an earlier seal; the rest of the URL stays as it is, character by character. */
export function sealCallback(url: string, seal: CallbackSeal, secretKey: string): string {
	const { phone, expiresAt, reference, nonce } = seal;
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
		`exp=${expiresAt}&ref=${encodeURIComponent(reference)}&nonce=${nonce}&sig=${signature}`,
	);
}

/** A text that can travel in a seal. */
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
 * Whether an event may be believed. Takes the query as the web server parsed it and the number as
 * the event gave it; never throws. `nowSeconds` has the unit of `expiresAt`: milliseconds passed by
 * mistake would let nothing through, where the opposite mistake would let everything through.
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
	const nonce = ownValue(query, 'nonce');
	const sig = ownValue(query, 'sig');
	if ([exp, ref, nonce, sig].includes(undefined)) return refused('missing');

	const phone = phoneDigits(clientNumber);
	const expiresAt = readExpiry(exp);
	if (phone === undefined || expiresAt === undefined) return refused('malformed');
	if (!isReference(ref) || !isNonce(nonce) || !isSignature(sig)) return refused('malformed');

	const isSignedFor = (taker: string | undefined) => {
		const seal = { phone, expiresAt, reference: ref, nonce, target: taker };
		// As text, not decoded: the spare bits of the last character would allow four spellings.
		return timingSafeEqual(Buffer.from(sig), Buffer.from(sign(seal, secretKey)));
	};
	if (![...new Set([target, undefined])].some(isSignedFor)) return refused('forged');

	// After the signature, so that only who holds a true seal learns that it is too old.
	if (!Number.isFinite(nowSeconds) || nowSeconds >= expiresAt) return refused('expired');
	return { ok: true, reference: ref, expiresAt, nonce };
}

/** The URL as it was before sealing, for outputs: whoever reads it there learns no proof. */
export function withoutSeal(url: string): string {
	return withoutParameters(url, (name) => SEAL_PARAMETER.test(name));
}

function sign(
	{ phone, expiresAt, reference, nonce, target }: CallbackSeal,
	secretKey: string,
): string {
	// The secret key is an API key too. A key derived for this purpose alone keeps the two uses apart,
	// and, unlike HMAC's own padding, gives no two secrets the same key.
	const sealingKey = Buffer.from(hkdfSync('sha256', secretKey, '', SEAL_LABEL, 32));
	const signed = [phone, expiresAt, reference, nonce, ...(target === undefined ? [] : [target])];
	return createHmac('sha256', sealingKey).update(JSON.stringify(signed)).digest('base64url');
}

function refused(reason: SealFailure): SealCheck {
	return { ok: false, reason };
}

// Unpaired surrogates would all become the same replacement character on their way into the hash.
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
	// A code point is at most two units: a huge text is refused without being spread out.
	return text.length <= 2 * MAX_REFERENCE_LENGTH && [...text].length <= MAX_REFERENCE_LENGTH;
}

function isReference(value: unknown): value is string {
	return typeof value === 'string' && fitsReference(value) && !UNPAIRED_SURROGATE.test(value);
}

function isNonce(value: unknown): value is string {
	return typeof value === 'string' && BASE64URL_NONCE.test(value);
}

function isSignature(value: unknown): value is string {
	return typeof value === 'string' && BASE64URL_SHA256.test(value);
}

function phoneDigits(clientNumber: unknown): string | undefined {
	if (typeof clientNumber !== 'string' || clientNumber.length > LONGEST_NUMBER) return undefined;
	if (!WRITTEN_NUMBER.test(clientNumber)) return undefined;
	const digits = clientNumber.replace(/\D/g, '');
	return PHONE_DIGITS.test(digits) ? digits : undefined;
}

// Only what the sender really put there, and no getter: the query comes from a stranger.
function ownValue(query: unknown, name: string): unknown {
	if (typeof query !== 'object' || query === null) return undefined;
	return Object.getOwnPropertyDescriptor(query, name)?.value;
}
