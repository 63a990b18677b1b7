import fc from 'fast-check';

import { sealCallback } from '../../../../nodes/CallVerification/inbound/callbackSeal';
import { readVendorId } from '../../../../nodes/CallVerification/codes/call';
import {
	openToken,
	readCallOrToken,
	sealToken,
} from '../../../../nodes/CallVerification/codes/verificationToken';

const KEY = 'sk-live-Zq8vN2xT5wLb7RkD';
const NOW = 1_800_000_000;
const CONTENT = { uid: readVendorId(1234567), phone: '79000000001', expiresAt: NOW + 60 };
const TOKEN = sealToken(CONTENT, KEY) ?? '';

const refusal = (token: string, key = KEY, now = NOW): string => {
	try {
		openToken(token, key, now);
	} catch (error) {
		return error instanceof Error ? error.message : '';
	}
	return 'accepted';
};
const INVALID = 'The verification token is not valid';

describe('a verification token', () => {
	it('returns what was sealed', () => {
		fc.assert(
			fc.property(
				fc.maxSafeNat(),
				fc.integer({ min: 1_000_000, max: 999_999_999_999_999 }),
				fc.integer({ min: NOW + 1, max: NOW * 2 }),
				(uid, phone, expiresAt) => {
					const content = { uid: readVendorId(uid), phone: String(phone), expiresAt };
					expect(openToken(sealToken(content, KEY) ?? '', KEY, NOW)).toEqual(content);
				},
			),
		);
	});

	it('is short, fits into a URL, and tells its holder nothing', () => {
		expect(TOKEN).toMatch(/^v1\.[0-9a-f]{96}$/);
		const hex = TOKEN.slice(3);
		const readings = [hex, Buffer.from(hex, 'hex').toString('latin1')];
		const { uid, phone, expiresAt } = CONTENT;
		for (const secret of [KEY, phone, String(uid), Number(phone).toString(16), expiresAt]) {
			expect(readings.filter((text) => text.includes(String(secret)))).toEqual([]);
		}
	});

	it('differs each time, and has the same length for the longest content', () => {
		expect(sealToken(CONTENT, KEY)).not.toBe(TOKEN);
		const longest = {
			uid: readVendorId(Number.MAX_SAFE_INTEGER),
			phone: '999999999999999',
			expiresAt: 2 ** 32 - 1,
		};
		expect(sealToken(longest, KEY)).toHaveLength(TOKEN.length);
	});

	it('cannot be changed in any character, cut or lengthened', () => {
		fc.assert(
			fc.property(fc.nat(TOKEN.length - 1), fc.constantFrom(...'Aaf09-_.v'), (at, sign) => {
				const changed = TOKEN.slice(0, at) + sign + TOKEN.slice(at + 1);
				if (changed !== TOKEN) expect(refusal(changed)).toBe(INVALID);
				expect(refusal(TOKEN.slice(0, at))).toBe(INVALID);
				expect(refusal(TOKEN + sign)).toBe(INVALID);
			}),
		);
	});

	it('is refused under another key, and cannot be made under an empty one', () => {
		expect(refusal(TOKEN, 'another key')).toBe(INVALID);
		expect(sealToken(CONTENT, ' ')).toBeUndefined();
		expect(refusal(TOKEN, '')).toBe(INVALID);
	});

	it('is valid until its expiry; only holders of a genuine one learn that it has expired', () => {
		expect(refusal(TOKEN, KEY, CONTENT.expiresAt - 1)).toBe('accepted');
		expect(refusal(TOKEN, KEY, CONTENT.expiresAt)).toBe('The verification token has expired');
		expect(refusal(`${TOKEN.slice(0, -1)}!`, KEY, CONTENT.expiresAt)).toBe(INVALID);
	});

	it('is not a callback seal, and a callback seal is not a token', () => {
		const { phone, expiresAt } = CONTENT;
		const url = sealCallback(
			'https://a.test/',
			{ phone, expiresAt, reference: '', issuer: '', nonce: 'A'.repeat(22) },
			KEY,
		);
		const seal = new URL(url).searchParams.get('sig') ?? '';
		const sealInHex = Buffer.from(seal, 'base64url').toString('hex');
		expect(refusal(TOKEN.slice(0, -sealInHex.length) + sealInHex)).toBe(INVALID);
		expect(TOKEN).not.toContain(sealInHex);
	});

	it('is distinguished from a call ID by its beginning', () => {
		expect(readCallOrToken(` ${TOKEN} `)).toEqual({ token: TOKEN });
		expect(readCallOrToken('1234567')).toEqual({ uid: 1234567 });
		expect(() => readCallOrToken('x')).toThrow('The call ID is not a whole number');
	});
});
