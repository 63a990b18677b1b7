import {
	createCipheriv,
	createDecipheriv,
	createHash,
	hkdfSync,
	randomBytes,
	timingSafeEqual,
} from 'node:crypto';

import { InputError } from '../contract/request';
import { ServiceError } from '../transport/errors';

/** ID of a verification call: `vendor_id` in responses, `uid` in requests. */
export type VendorId = number & { readonly __brand: 'VendorId' };

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;

const ADVICE =
	'Use the “vendor_id” that “Call: Start” or “Inbound Call: Get Number to Call” returned, e.g. {{ $json.vendor_id }}.';

/** Above 2^53 a JSON number is rounded and would identify someone else's call. */
export function readVendorId(value: unknown): VendorId {
	if (isEmpty(value)) throw new InputError('The call ID is empty', ADVICE);
	const text = textOf(value);
	if (!WHOLE_NUMBER.test(text)) throw new InputError('The call ID is not a whole number', ADVICE);
	const id = Number(text);
	if (Number.isSafeInteger(id)) return id as VendorId;
	throw new InputError(
		`The call ID is above ${Number.MAX_SAFE_INTEGER} and would be rounded when sent to the service`,
		ADVICE,
	);
}

/** The same when n8n runs a node again, so that requests are repeated. As a UUID v4, which the contract requires. */
export function idempotencyKey(parts: ReadonlyArray<string | number | undefined>): string {
	// JSON keeps ["a", "b"] and ["a,b"] apart; undefined becomes null.
	const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Section 3 of the contract has three values. Any other is unknown, unless the record says that the call failed. */
export function callStateOf(call: { status?: unknown; call_status?: unknown }) {
	if (call.call_status === -1) return 'checking';
	if (call.call_status === 1) return 'completed';
	return call.call_status === 0 || call.status === false ? 'failed' : 'unknown';
}

/** The year 5138. A larger value is in milliseconds, and the code would never expire. */
const LATEST_SECONDS = 100_000_000_000;

/** As much as the clocks of two servers may differ. */
const CLOCK_DIFFERENCE_MS = 5 * 60_000;

/**
 * When the call was started, in milliseconds; undefined if the service does not say, or says that it is yet to start: its
 * code would not expire for as long. The token, which is issued after the start, tells by the clock of this n8n.
 */
export function startOf(
	initTime: unknown,
	{ now, issuedAt = Infinity }: { readonly now: number; readonly issuedAt?: number },
): number | undefined {
	if (typeof initTime !== 'number' || initTime <= 0 || initTime >= LATEST_SECONDS) return undefined;
	const start = Math.min(initTime * 1_000, issuedAt);
	return start <= now + CLOCK_DIFFERENCE_MS ? start : undefined;
}

/** When the code of a call expires, in milliseconds. */
export function expiryOf(start: number | undefined, validForMinutes: number): number {
	if (validForMinutes === 0) return Infinity;
	if (start !== undefined) return start + validForMinutes * 60_000;
	throw new ServiceError('The verification service returned no usable start time for this call', {
		failure: 'refused',
		advice:
			'It is missing or in the future, so the node cannot tell whether the code is still valid. Check the clock of the machine that n8n runs on. Set “Valid For” to 0 to accept codes of any age.',
	});
}

const FOUR_DIGITS = /^\d{4}$/;

/** A code from `0001` to `9999`. `7` is rejected rather than read as `0007`, because three digits may have been lost. */
export function readCode(value: unknown): string {
	const code = textOf(value);
	if (FOUR_DIGITS.test(code) && code !== '0000') return code;
	throw new InputError(
		'The code must be four digits from 0001 to 9999',
		'Enter exactly four digits, e.g. 0042. In an expression, keep the code as text, so that it keeps its leading zeros.',
	);
}

/** Text that is no code counts as a wrong one. An empty field is a mistake of the workflow, not of the person. */
export function readTypedCode(value: unknown): string {
	if (!isEmpty(value)) return textOf(value);
	throw new InputError(
		'The code is empty',
		'Check the expression in this field: it must return what the person typed.',
	);
}

/** Compares digests, so that the duration does not reveal how much of the code was right. */
export function isTypedCodeRight(actual: string, typed: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return FOUR_DIGITS.test(typed) && timingSafeEqual(digest(actual), digest(typed));
}

/** Encrypted, so that all tokens look alike: if nobody is called, random digits replace one without being noticed. */
export interface VerificationToken {
	readonly uid: VendorId;
	readonly phone: string;
	/** Unix time in seconds. */
	readonly expiresAt: number;
}

export const TOKEN_LIFETIME_SECONDS = 24 * 60 * 60;

// A separate label, so that a token never passes for a callback seal or the other way round.
const PURPOSE = 'n8n-nodes-call-verification/verification-token/v1';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const CONTENT_BYTES = 20;
const CHECK_BYTES = 16;
/** All three in hexadecimal. */
const TOKEN = /^v1\.([0-9a-f]{96})$/;

/** Only tells the two apart. Validating a token needs the secret key, later. */
export function readCallOrToken(value: unknown) {
	const text = textOf(value);
	return /^v\d+\./.test(text) ? { token: text } : { uid: readVendorId(value) };
}

/** Returns none for an empty key, with which anyone could create tokens. */
export function sealToken({ uid, phone, expiresAt }: VerificationToken, secretKey: string) {
	if (secretKey.trim() === '') return null;
	const content = Buffer.alloc(CONTENT_BYTES);
	content.writeBigUInt64BE(BigInt(uid), 0);
	content.writeBigUInt64BE(BigInt(phone), 8);
	content.writeUInt32BE(expiresAt, 16);
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, tokenKey(secretKey), nonce);
	const sealed = [nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()];
	return `v1.${Buffer.concat(sealed).toString('hex')}`;
}

export function openToken(token: string, secretKey: string, nowSeconds: number): VerificationToken {
	const content = secretKey.trim() === '' ? undefined : contentOf(token, secretKey);
	if (content === undefined) {
		// The same error for all, so that a forger learns nothing.
		throw new InputError(
			'The verification token is not valid',
			'Use the “verification_token” that “Call: Start” returned, with the same credential.',
		);
	}
	const expiresAt = content.readUInt32BE(16);
	if (nowSeconds >= expiresAt) {
		throw new InputError(
			'The verification token has expired',
			'A token is valid for 24 hours. Start a new call.',
		);
	}
	const uid = readVendorId(Number(content.readBigUInt64BE(0)));
	return { uid, phone: String(content.readBigUInt64BE(8)), expiresAt };
}

function contentOf(token: string, secretKey: string): Buffer | undefined {
	const sealed = Buffer.from(TOKEN.exec(token)?.[1] ?? '', 'hex');
	if (sealed.length === 0) return undefined;
	const decipher = createDecipheriv(CIPHER, tokenKey(secretKey), sealed.subarray(0, NONCE_BYTES));
	decipher.setAuthTag(sealed.subarray(-CHECK_BYTES));
	const content = sealed.subarray(NONCE_BYTES, -CHECK_BYTES);
	try {
		return Buffer.concat([decipher.update(content), decipher.final()]);
	} catch {
		return undefined;
	}
}

const tokenKey = (secretKey: string) => Buffer.from(hkdfSync('sha256', secretKey, '', PURPOSE, 32));

/** Empty for what is neither text nor a number. */
const textOf = (value: unknown) =>
	typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

const isEmpty = (value: unknown) =>
	(typeof value === 'string' ? value.trim() : (value ?? '')) === '';
