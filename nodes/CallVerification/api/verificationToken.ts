import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

import { InputError } from './errors';
import type { VendorId } from './vendorId';
import { readVendorId } from './vendorId';

/*
 * Nothing is stored: the token itself carries the call, the number and an expiry, encrypted and authenticated under a key
 * that only the holder of the secret key can derive. All tokens look alike, so random digits of the same length can stand
 * in for one where nobody is called: its bearer cannot tell. The code is not in it.
 */

/** What a token vouches for. */
export interface VerificationToken {
	readonly uid: VendorId;
	/** Digits only. */
	readonly phone: string;
	/** Unix time in seconds. */
	readonly expiresAt: number;
}

/** What the field of “Check Code” may hold. */
export type CallOrToken =
	| { readonly uid: VendorId; readonly token?: undefined }
	| { readonly token: string; readonly uid?: undefined };

type RandomBytes = (size: number) => Buffer;

export const TOKEN_LIFETIME_SECONDS = 24 * 60 * 60;

// A label of its own: a token must never pass for the seal of a callback, nor the other way round.
const PURPOSE = 'n8n-nodes-call-verification/verification-token/v1';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const CONTENT_BYTES = 20;
const CHECK_BYTES = 16;
const TOKEN_BYTES = NONCE_BYTES + CONTENT_BYTES + CHECK_BYTES;

const TOKEN_START = /^v\d+\./;
const TOKEN = new RegExp(`^v1\\.([0-9a-f]{${TOKEN_BYTES * 2}})$`);

/** Gives none for an empty key, which anybody could seal with. */
export function sealToken(
	{ uid, phone, expiresAt }: VerificationToken,
	secretKey: string,
	randomBytes: RandomBytes,
): string | undefined {
	if (secretKey.trim() === '') return undefined;
	const content = Buffer.alloc(CONTENT_BYTES);
	content.writeBigUInt64BE(BigInt(uid), 0);
	content.writeBigUInt64BE(BigInt(phone), 8);
	content.writeUInt32BE(expiresAt, 16);
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, keyFrom(secretKey), nonce);
	const sealed = [nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()];
	return `v1.${Buffer.concat(sealed).toString('hex')}`;
}

export function openToken(token: string, secretKey: string, nowSeconds: number): VerificationToken {
	const content = secretKey.trim() === '' ? undefined : contentOf(token, secretKey);
	if (content === undefined) {
		// One answer for all: a forger learns nothing from it.
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
	return {
		uid: readVendorId(Number(content.readBigUInt64BE(0))),
		phone: String(content.readBigUInt64BE(8)),
		expiresAt,
	};
}

/** Whether a token is true can only be said with the secret key, later. */
export function readCallOrToken(value: unknown): CallOrToken {
	const text = typeof value === 'string' ? value.trim() : '';
	return TOKEN_START.test(text) ? { token: text } : { uid: readVendorId(value) };
}

function contentOf(token: string, secretKey: string): Buffer | undefined {
	const sealed = Buffer.from(TOKEN.exec(token)?.[1] ?? '', 'hex');
	if (sealed.length === 0) return undefined;
	const decipher = createDecipheriv(CIPHER, keyFrom(secretKey), sealed.subarray(0, NONCE_BYTES));
	decipher.setAuthTag(sealed.subarray(-CHECK_BYTES));
	const content = decipher.update(sealed.subarray(NONCE_BYTES, -CHECK_BYTES));
	try {
		decipher.final();
		return content;
	} catch {
		return undefined;
	}
}

function keyFrom(secretKey: string): Buffer {
	return Buffer.from(hkdfSync('sha256', secretKey, '', PURPOSE, 32));
}
