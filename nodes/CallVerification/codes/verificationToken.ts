import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

import { InputError } from '../contract/request';
import { readVendorId, type VendorId } from './call';

/**
 * The content of a token, encrypted and authenticated with a key derived from the secret key. All tokens look alike, so
 * if nobody is called, random digits of the same length can replace one without being noticed.
 */
export interface VerificationToken {
	readonly uid: VendorId;
	/** Digits only. */
	readonly phone: string;
	/** Unix time in seconds. */
	readonly expiresAt: number;
}

/** What the field of “Check Code” accepts. */
export type CallOrToken =
	| { readonly uid: VendorId; readonly token?: undefined }
	| { readonly token: string; readonly uid?: undefined };

export const TOKEN_LIFETIME_SECONDS = 24 * 60 * 60;

// A separate label, so that a token never passes for a callback seal or the other way round.
const PURPOSE = 'n8n-nodes-call-verification/verification-token/v1';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const CONTENT_BYTES = 20;
const CHECK_BYTES = 16;
const TOKEN_BYTES = NONCE_BYTES + CONTENT_BYTES + CHECK_BYTES;

const TOKEN_START = /^v\d+\./;
const TOKEN = new RegExp(`^v1\\.([0-9a-f]{${TOKEN_BYTES * 2}})$`);

/** Returns none for an empty key, with which anyone could create tokens. */
export function sealToken(
	{ uid, phone, expiresAt }: VerificationToken,
	secretKey: string,
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
	return {
		uid: readVendorId(Number(content.readBigUInt64BE(0))),
		phone: String(content.readBigUInt64BE(8)),
		expiresAt,
	};
}

/** Only tells the two apart. Validating a token needs the secret key, later. */
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
