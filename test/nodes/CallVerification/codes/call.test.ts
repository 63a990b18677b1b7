import { createCipheriv, hkdfSync } from 'node:crypto';

import fc from 'fast-check';

import {
	idempotencyKey,
	callStateOf,
	expiryOf,
	isTypedCodeRight,
	openToken,
	readCallOrToken,
	readCode,
	readVendorId,
	sealToken,
	startOf,
	TOKEN_LIFETIME_SECONDS,
} from '../../../../nodes/CallVerification/codes/call';
import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { sealCallback } from '../../../../nodes/CallVerification/inbound/callbackSeal';
import { thrownBy } from '../thrown';

describe('a call ID', () => {
	it('is any whole number that JSON carries exactly, as a number or as text', () => {
		fc.assert(
			fc.property(
				fc.maxSafeNat(),
				(id) => readVendorId(id) === id && readVendorId(` ${id} `) === id,
			),
		);
	});

	it('above 2^53 is refused instead of rounded', () => {
		const tooLarge = fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n });
		fc.assert(
			fc.property(tooLarge, (id) => {
				expect(() => readVendorId(String(id))).toThrow(InputError);
			}),
		);
		expect(thrownBy(() => readVendorId(2 ** 53))).toMatchObject({
			message:
				'The call ID is above 9007199254740991 and would be rounded when sent to the service',
		});
	});

	const ADVICE =
		'Use the “vendor_id” that “Call: Start” or “Inbound Call: Get Number to Call” returned, e.g. {{ $json.vendor_id }}.';

	it.each(['1.5', 1.5, -1, '1e5', '0x10', '007', true, {}, [5], Number.NaN])(
		'is not %j',
		(value) => {
			const message = 'The call ID is not a whole number';
			expect(thrownBy(() => readVendorId(value))).toMatchObject({ message, advice: ADVICE });
		},
	);

	it.each([undefined, null, '', ' '])('is missing in %j', (value) => {
		const message = 'The call ID is empty';
		expect(thrownBy(() => readVendorId(value))).toMatchObject({ message, advice: ADVICE });
	});
});

describe('the state of a call', () => {
	it.each([
		[-1, 'checking'],
		[0, 'failed'],
		[1, 'completed'],
	])('of status %i is “%s”', (status, state) => {
		expect(callStateOf({ status: true, call_status: status })).toBe(state);
	});

	it('of any other status is “unknown” (§3.unknown)', () => {
		fc.assert(
			fc.property(fc.anything(), (status) => {
				fc.pre(status !== -1 && status !== 0 && status !== 1);
				return callStateOf({ status: true, call_status: status }) === 'unknown';
			}),
		);
	});

	it('is “failed” if the record says only that the call was not connected', () => {
		expect(callStateOf({ status: false })).toBe('failed');
		expect(callStateOf({ status: false, call_status: 1 })).toBe('completed');
	});
});

describe('a code', () => {
	it('keeps its leading zeros, loses the blanks around it, and may come as a number of four digits', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 9999 }), (number) => {
				const code = String(number).padStart(4, '0');
				const written = [code, ` ${code} `, ...(number >= 1_000 ? [number] : [])];
				expect(written.map(readCode)).toEqual(written.map(() => code));
			}),
		);
	});
	it('that is not four digits, or is 0000, is refused (§8.initCall.code)', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.integer(), fc.constantFrom('7', '0000', '12345', '١٢٣٤', '1e3 ')),
				(value) => {
					fc.pre(!/^\s*(?!0000)\d{4}\s*$/.test(String(value)));
					expect(() => readCode(value)).toThrow(InputError);
				},
			),
		);
	});

	it.each([undefined, null, true, {}, ['1234'], 12.5])('is not %j', (value) => {
		expect(() => readCode(value)).toThrow(InputError);
	});

	it('that is not a code is refused with what to enter', () => {
		expect(thrownBy(() => readCode('7'))).toMatchObject({
			message: 'The code must be four digits from 0001 to 9999',
			advice:
				'Enter exactly four digits, e.g. 0042. In an expression, keep the code as text, so that it keeps its leading zeros.',
		});
	});
});
describe('the start of a call', () => {
	const now = 1_800_000_000_000;
	const seconds = now / 1_000;

	it('may be as much ahead of the clock of this n8n as clocks differ, and no more', () => {
		expect(startOf(seconds + 300, { now })).toBe(now + 300_000);
		expect(startOf(seconds + 301, { now })).toBeUndefined();
	});

	it('is not after its token was issued', () => {
		expect(startOf(seconds, { now, issuedAt: now - 5_000 })).toBe(now - 5_000);
		expect(startOf(seconds - 9, { now, issuedAt: now - 5_000 })).toBe(now - 9_000);
	});

	it.each([0, -1, '1800000000', undefined, null, 100_000_000_000, 1_800_000_000_000])(
		'is not %j',
		(time) => expect(startOf(time, { now: Infinity })).toBeUndefined(),
	);

	it('decides when its code expires, unless codes of any age are accepted', () => {
		expect(startOf(1, { now })).toBe(1_000);
		expect(expiryOf(now, 5)).toBe(now + 300_000);
		expect(expiryOf(now, 0)).toBe(Infinity);
		expect(expiryOf(undefined, 0)).toBe(Infinity);
		expect(thrownBy(() => expiryOf(undefined, 5))).toMatchObject({ failure: 'refused' });
	});
});

describe('two codes', () => {
	const codes = fc.integer({ max: 9999, min: 0 }).map((number) => String(number).padStart(4, '0'));

	it('match when they are equal, and only then', () => {
		fc.assert(
			fc.property(
				codes,
				codes,
				(a, b) => isTypedCodeRight(a, b) === (a === b) && isTypedCodeRight(a, a),
			),
		);
	});

	it('never match if what was typed is not four digits, even if it is the same', () => {
		fc.assert(
			fc.property(
				fc.string().filter((text) => !/^\d{4}$/.test(text)),
				(text) => !isTypedCodeRight(text, text),
			),
		);
	});
});

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

/** The format once more, because tokens of an earlier version must stay valid, and whoever has the key can make one. */
function tokenMadeWith(key: string): string {
	const content = Buffer.alloc(20);
	content.writeBigUInt64BE(BigInt(CONTENT.uid), 0);
	content.writeBigUInt64BE(BigInt(CONTENT.phone), 8);
	content.writeUInt32BE(CONTENT.expiresAt, 16);
	const purpose = 'n8n-nodes-call-verification/verification-token/v1';
	const nonce = Buffer.alloc(12, 7);
	const derived = Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
	const cipher = createCipheriv('aes-256-gcm', derived, nonce);
	const sealed = [nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()];
	return `v1.${Buffer.concat(sealed).toString('hex')}`;
}

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
				expect(refusal(sign + TOKEN)).toBe(INVALID);
			}),
		);
	});

	it('is refused under another key, and cannot be made under an empty one', () => {
		expect(refusal(TOKEN, 'another key')).toBe(INVALID);
		expect(sealToken(CONTENT, ' ')).toBeNull();
		expect(refusal(TOKEN, '')).toBe(INVALID);
	});

	it('of the first version is valid, but none that somebody made under an empty key', () => {
		expect(openToken(tokenMadeWith(KEY), KEY, NOW)).toEqual(CONTENT);
		for (const key of ['', ' ']) expect(refusal(tokenMadeWith(key), key)).toBe(INVALID);
	});

	it('is issued for 24 hours', () => {
		expect(TOKEN_LIFETIME_SECONDS).toBe(86_400);
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
		// Of a later version of this package.
		expect(readCallOrToken('v10.new')).toEqual({ token: 'v10.new' });
		for (const neither of ['x', `x${TOKEN}`, 'v1', 'v.1']) {
			expect(() => readCallOrToken(neither)).toThrow('The call ID is not a whole number');
		}
	});
});

describe('an idempotency key', () => {
	const parts = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(undefined)));

	it('has the shape of a UUID v4', () => {
		fc.assert(
			fc.property(parts, (values) =>
				/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(
					idempotencyKey(values),
				),
			),
		);
	});

	it('is the same for the same parts and differs for other parts', () => {
		fc.assert(
			fc.property(parts, parts, (a, b) => {
				const equal = JSON.stringify(a) === JSON.stringify(b);
				return (
					idempotencyKey([...a]) === idempotencyKey(a) &&
					(idempotencyKey(a) === idempotencyKey(b)) === equal
				);
			}),
		);
	});
});
