import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

import { InputError } from './errors';
import type { VendorId } from './vendorId';
import { readVendorId } from './vendorId';

/*
 * Nothing is stored: the token itself carries the call, the number and an expiry, and a signature that only the
 * holder of the secret key can make. Its bearer can read the number, which is their own. The code is not in it.
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

export const TOKEN_LIFETIME_SECONDS = 24 * 60 * 60;

// A label of its own: a token must never pass for the seal of a callback, nor the other way round.
const PURPOSE = 'n8n-nodes-call-verification/verification-token/v1';

const TOKEN_START = /^v\d+\./;
const TOKEN = /^(v1\.([\w-]{1,200}))\.([\w-]{43})$/;
const PHONE_DIGITS = /^[1-9]\d{6,14}$/;

/** Gives none for an empty key, which anybody could sign with. */
export function sealToken(
	{ uid, phone, expiresAt }: VerificationToken,
	secretKey: string,
): string | undefined {
	if (secretKey.trim() === '') return undefined;
	const payload = Buffer.from(JSON.stringify([uid, phone, expiresAt])).toString('base64url');
	return `v1.${payload}.${sign(`v1.${payload}`, secretKey)}`;
}

export function openToken(token: string, secretKey: string, nowSeconds: number): VerificationToken {
	const [, signed = '', payload = '', signature = ''] = TOKEN.exec(token) ?? [];
	const isTrue =
		secretKey.trim() !== '' &&
		signature !== '' &&
		// As text, not decoded: the spare bits of the last character would allow four spellings.
		timingSafeEqual(Buffer.from(signature), Buffer.from(sign(signed, secretKey)));
	const content = isTrue ? readPayload(payload) : undefined;
	if (content === undefined) {
		// One answer for all: a forger learns nothing from it.
		throw new InputError(
			'The verification token is not valid',
			'Use the “verification_token” that “Call: Start” returned, with the same credential.',
		);
	}
	if (nowSeconds >= content.expiresAt) {
		throw new InputError(
			'The verification token has expired',
			'A token is good for 24 hours. Start a new call.',
		);
	}
	return content;
}

/** Whether a token is true can only be said with the secret key, later. */
export function readCallOrToken(value: unknown): CallOrToken {
	const text = typeof value === 'string' ? value.trim() : '';
	return TOKEN_START.test(text) ? { token: text } : { uid: readVendorId(value) };
}

function sign(signed: string, secretKey: string): string {
	const key = Buffer.from(hkdfSync('sha256', secretKey, '', PURPOSE, 32));
	return createHmac('sha256', key).update(signed).digest('base64url');
}

function readPayload(payload: string): VerificationToken | undefined {
	try {
		const content: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
		if (!Array.isArray(content)) return undefined;
		const [uid, phone, expiresAt] = content as unknown[];
		if (typeof phone !== 'string' || !PHONE_DIGITS.test(phone)) return undefined;
		if (typeof expiresAt !== 'number') return undefined;
		return { uid: readVendorId(uid), phone, expiresAt };
	} catch {
		return undefined;
	}
}
