import crypto from 'node:crypto';

import fc from 'fast-check';

import {
	checkSeal,
	MAX_REFERENCE_LENGTH,
	readReference,
	sealCallback,
	sealNonce,
	withoutSeal,
} from '../../../../nodes/CallVerification/inbound/callbackSeal';
import { thrownBy } from '../thrown';

const url = 'https://n8n.example/webhook/4f1c/inbound-call';
const key = 'a secret key';
const phone = '79000000001';
const expiresAt = 1_800_000_000;
const before = expiresAt - 60;
const nonce = 'AAAAAAAAAAAAAAAAAAAAA_';
const issuer = 'q1W2e3R4t5Y6u7I8';
const seal = { phone, expiresAt, reference: 'contact-17', issuer, nonce };

/** As a web server reads it: percent-decoded, with a repeated parameter as an array. */
function queryOf(sealed: string): Record<string, string | string[]> {
	const parameters = new URL(sealed).searchParams;
	const names = [...new Set(parameters.keys())];
	return Object.fromEntries(
		names.map((name) => {
			const [first = '', ...others] = parameters.getAll(name);
			return [name, others.length === 0 ? first : [first, ...others]];
		}),
	);
}

const isAccepted = (...event: Parameters<typeof checkSeal>) =>
	typeof checkSeal(...event) !== 'string';

const trueQuery = queryOf(sealCallback(url, seal, key));
const NAMES = ['exp', 'ref', 'iss', 'nonce', 'sig'];

const phones = fc.stringMatching(/^[1-9]\d{6,14}$/);
const expiries = fc.integer({ min: 1, max: 999_999_999_999 });
const references = fc.string({ unit: 'binary', maxLength: MAX_REFERENCE_LENGTH });
const issuers = fc.string({ unit: 'binary' });
const nonces = fc
	.uint8Array({ minLength: 16, maxLength: 16 })
	.map((bytes) => sealNonce(() => Buffer.from(bytes)));
const keys = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.trim() !== '');

describe('a sealed callback', () => {
	it('is accepted for its number, and returns what it was made with (§6.signing)', () => {
		expect(checkSeal(trueQuery, phone, key, before)).toEqual({
			phone,
			reference: 'contact-17',
			issuer,
			expiresAt,
			nonce,
		});
	});

	it('carries any number, expiry, reference, issuer and nonce through a URL unchanged', () => {
		const seals = fc.record({
			phone: phones,
			expiresAt: expiries,
			reference: references,
			issuer: issuers,
			nonce: nonces,
		});
		fc.assert(
			fc.property(seals, keys, ({ phone: number, ...rest }, secret) => {
				const sealed = sealCallback(url, { phone: number, ...rest }, secret);
				expect(checkSeal(queryOf(sealed), number, secret, rest.expiresAt - 1)).toEqual({
					phone: number,
					...rest,
				});
			}),
			{ numRuns: 1000 },
		);
	});

	it('differs each time, by 128 random bits', () => {
		const sizes: number[] = [];
		const random = (size: number) => {
			sizes.push(size);
			return crypto.randomBytes(size);
		};
		const sealed = [1, 2].map(() => sealCallback(url, { ...seal, nonce: sealNonce(random) }, key));
		expect(sizes).toEqual([16, 16]);
		expect(new Set(sealed.map((made) => queryOf(made).nonce)).size).toBe(2);
		expect(new Set(sealed.map((made) => queryOf(made).sig)).size).toBe(2);
	});

	it('keeps its signature across releases, so that callbacks in flight survive an update', () => {
		const { sig } = queryOf(sealCallback(url, seal, key));
		expect(sig).toBe('e4IOa8Nr-Qh71yqmWBpJ7xIjN6BBIaMg-1yJUkLHrVc');
	});

	it('reveals neither the secret key nor the phone number', () => {
		const sealed = sealCallback(url, seal, 'SecretKey');
		expect(sealed).not.toContain('SecretKey');
		expect(sealed).not.toContain(phone);
	});
});
describe('the URL of a sealed callback', () => {
	const proof = /exp=1800000000&ref=contact-17&iss=q1W2e3R4t5Y6u7I8&nonce=[\w-]{22}&sig=[\w-]{43}/
		.source;

	it.each([
		['https://a.example/p', '^https://a\\.example/p\\?PROOF$'],
		['https://a.example/p?', '^https://a\\.example/p\\?PROOF$'],
		['https://a.example/p#top', '^https://a\\.example/p\\?PROOF#top$'],
		[
			"https://a.example/p?signature=a%2fb+c'd&x",
			"^https://a\\.example/p\\?signature=a%2fb\\+c'd&x&PROOF$",
		],
	])('adds the seal to %s and changes nothing else', (given, expected) => {
		expect(sealCallback(given, seal, key)).toMatch(new RegExp(expected.replace('PROOF', proof)));
	});

	it.each(['exp=1', 'ref=home', 'iss=1', 'nonce=1', 'sig', 'ref[]=a', 'sig%5Bx%5D=1', '%65xp=1'])(
		'replaces an earlier %s with its own seal',
		(earlier) => {
			const sealed = sealCallback(`${url}?a=1&${earlier}&b=2`, seal, key);
			expect(sealed).toMatch(new RegExp(`\\?a=1&b=2&${proof}$`));
			expect(isAccepted(queryOf(sealed), phone, key, before)).toBe(true);
		},
	);

	it('is the original one again without its seal', () => {
		const part = fc.webQueryParameters().filter((text) => text !== '');
		fc.assert(
			fc.property(fc.webUrl(), fc.option(part), references, (address, query, reference) => {
				const plain = withoutSeal(query === null ? address : `${address}?${query}`);
				expect(withoutSeal(sealCallback(plain, { ...seal, reference }, key))).toBe(plain);
			}),
		);
	});

	it.each([
		'',
		'no url',
		'?',
		'https://a.example/?%E0%A4%A=1&signature=s#exp=1',
		'?export=1&refs=2&nonces=3',
	])('stays as it is when there is no seal in it: %p', (given) => {
		expect(withoutSeal(given)).toBe(given);
	});

	it('loses its seal even under a name that cannot be decoded', () => {
		expect(withoutSeal('https://a.example/?sig[%E0]=1&a=2')).toBe('https://a.example/?a=2');
	});
});

describe('sealing rejects', () => {
	it.each(['', '  ', '\t\n', 'half \ud800'])('the secret key %j, and says what to do', (secret) => {
		expect(thrownBy(() => sealCallback(url, seal, secret))).toMatchObject({
			message: 'The callback cannot be protected because the secret key is empty',
			advice: 'Enter the secret key in the credential.',
		});
	});

	it('no reference of 500 characters, even if each one is an emoji', () => {
		expect(readReference('😀'.repeat(500))).toBe('😀'.repeat(500));
	});

	it.each(['x'.repeat(501), '😀'.repeat(501), 'x'.repeat(1_000_000)])(
		'a reference longer than 500 characters',
		(reference) => {
			expect(thrownBy(() => readReference(reference))).toMatchObject({
				message: '“Reference” is longer than 500 characters',
				advice: 'Pass an ID, and look up the rest when the call arrives.',
			});
		},
	);

	it.each(['\ud83d', 'a\ude00b', '\ude00\ud83d'])('half a character: %j', (reference) => {
		expect(thrownBy(() => readReference(reference))).toMatchObject({
			message: '“Reference” contains an incomplete character',
			advice: 'This happens when text is cut in the middle of an emoji. Cut it somewhere else.',
		});
	});
});

describe('the number of an event', () => {
	const accepts = (sealedFor: string, written: string) => {
		const query = queryOf(sealCallback(url, { ...seal, phone: sealedFor }, key));
		return checkSeal(query, written, key, before);
	};

	it.each([
		['79000000001', '+79000000001'],
		['79000000001', '+7 (900) 000-00-01'],
		['79000000001', '7.900.000.00.01'],
		['79000000001', '89000000001'],
		['79000000001', '8 (900) 000-00-01'],
		['79000000001', '00 7 900 000-00-01'],
		['89000000001', '89000000001'],
		['89000000001', '+89000000001'],
	])('%s may be written %s, and the seal names it as it was made', (sealedFor, written) => {
		expect(accepts(sealedFor, written)).toMatchObject({ phone: sealedFor });
	});

	it.each([
		['a plus before the 8', '79000000001', '+89000000001'],
		['ten digits', '7900000001', '8900000001'],
		['twelve digits', '790000000012', '890000000012'],
		['7 for a leading 8', '89000000001', '79000000001'],
		['no country code', '79000000001', '9000000001'],
		['another number', '79000000001', '89000000002'],
	])('is not guessed from %s', (_what, sealedFor, written) => {
		expect(accepts(sealedFor, written)).toBe('forged');
	});

	it.each([
		'',
		'+',
		'++79000000001',
		'79000000001x',
		'079000000001',
		'7900000000000001',
		'79000000001\n',
		'7900000000１',
		'7900000***1',
	])('must not be %p', (written) => {
		expect(checkSeal(trueQuery, written, key, before)).toBe('malformed');
	});
});

describe('an event is rejected', () => {
	it('with any other number', () => {
		fc.assert(
			fc.property(phones, phones, (sealedFor, claimed) => {
				fc.pre(sealedFor !== claimed && sealedFor !== claimed.replace(/^8(?=\d{10}$)/, '7'));
				const query = queryOf(sealCallback(url, { ...seal, phone: sealedFor }, key));
				expect(checkSeal(query, claimed, key, before)).toBe('forged');
			}),
		);
	});

	it.each([
		['expiresAt', 'exp', expiries],
		['reference', 'ref', references],
		['issuer', 'iss', issuers],
		['nonce', 'nonce', nonces],
	] as const)('with any other %s', (field, name, values: fc.Arbitrary<string | number>) => {
		fc.assert(
			fc.property(values, values, (sealedWith, claimed) => {
				fc.pre(sealedWith !== claimed);
				const query = queryOf(sealCallback(url, { ...seal, [field]: sealedWith }, key));
				expect(checkSeal({ ...query, [name]: String(claimed) }, phone, key, 0)).toBe('forged');
			}),
		);
	});

	it('with a seal of the old form, without a nonce', () => {
		const message = JSON.stringify([phone, expiresAt, seal.reference]);
		for (const version of ['v1', 'v2']) {
			const label = `n8n-nodes-call-verification/callback-seal/${version}`;
			const sealingKey = Buffer.from(crypto.hkdfSync('sha256', key, '', label, 32));
			const sig = crypto.createHmac('sha256', sealingKey).update(message).digest('base64url');
			const query = { exp: String(expiresAt), ref: seal.reference, sig };
			expect(checkSeal(query, phone, key, before)).toBe('missing');
			expect(isAccepted({ ...query, nonce }, phone, key, before)).toBe(false);
		}
	});

	it('under any other key', () => {
		fc.assert(
			fc.property(keys, keys, (sealedWith, checkedWith) => {
				fc.pre(sealedWith !== checkedWith);
				const query = queryOf(sealCallback(url, seal, sealedWith));
				expect(checkSeal(query, phone, checkedWith, before)).toBe('forged');
			}),
		);
	});

	it('under a key padded with zeros, which plain HMAC treats as the same', () => {
		const query = queryOf(sealCallback(url, seal, 'k'));
		expect(isAccepted(query, phone, 'k\0', before)).toBe(false);
	});

	it.each([
		(sig: string) => `${sig}=`,
		(sig: string) => ` ${sig}`,
		(sig: string) => `${sig}\n`,
		(sig: string) => sig.slice(0, -1),
		(sig: string) => `${sig.slice(0, -1)}é`,
		(sig: string) => Buffer.from(sig, 'base64url').toString('hex'),
		() => '',
	])('with a signature that is not 43 characters of base64url (%#)', (spelled) => {
		const query = { ...trueQuery, sig: spelled(String(trueQuery.sig)) };
		expect(checkSeal(query, phone, key, before)).toBe('malformed');
	});

	it.each([
		'+1800000000',
		'1800000000\n',
		'01800000000',
		'1.8e9',
		'0x6b49d200',
		'١٨٠٠٠٠٠٠٠٠',
		'0',
		'1800000000000',
		'9'.repeat(400),
	])('with the expiry spelled %j', (exp) => {
		expect(checkSeal({ ...trueQuery, exp }, phone, key, before)).toBe('malformed');
	});

	it.each(NAMES)('without %s', (name) => {
		const rest = Object.fromEntries(Object.entries(trueQuery).filter(([other]) => other !== name));
		expect(checkSeal(rest, phone, key, before)).toBe('missing');
		const inherited = Object.create(trueQuery) as typeof trueQuery;
		expect(checkSeal(inherited, phone, key, before)).toBe('missing');
	});

	it.each(NAMES)('with %s doubled, nested or of another type', (name) => {
		const value = trueQuery[name];
		const shapes = [[value, value], [value], [], { a: value }, { 0: value }, {}, 1, true, null];
		for (const shape of shapes) {
			expect(checkSeal({ ...trueQuery, [name]: shape }, phone, key, before)).toBe('malformed');
		}
	});

	it.each(['', '   ', '\n', '\udfff'])('when the secret key is %j', (secret) => {
		expect(checkSeal(trueQuery, phone, secret, before)).toBe('noKey');
	});

	it('with a seal that someone made under an empty key', () => {
		const label = 'n8n-nodes-call-verification/callback-seal/v3';
		const emptyKey = Buffer.from(crypto.hkdfSync('sha256', '', '', label, 32));
		const message = JSON.stringify([phone, expiresAt, '', issuer, nonce]);
		const sig = crypto.createHmac('sha256', emptyKey).update(message).digest('base64url');
		const query = { exp: String(expiresAt), ref: '', iss: issuer, nonce, sig };
		expect(checkSeal(query, phone, '', before)).toBe('noKey');
	});
});

describe('the expiry of a seal (§8.lifetime)', () => {
	it('accepts events until its second, and none from then on', () => {
		expect(isAccepted(trueQuery, phone, key, expiresAt - 0.001)).toBe(true);
		for (const now of [expiresAt, expiresAt + 1, expiresAt * 1000, NaN, Infinity, -Infinity]) {
			expect(checkSeal(trueQuery, phone, key, now)).toBe('expired');
		}
	});

	it('is revealed only to holders of a valid seal', () => {
		const forged = { ...trueQuery, ref: 'another' };
		expect(checkSeal(forged, phone, key, expiresAt + 1)).toBe('forged');
	});
});

describe('the target of a seal', () => {
	const bound = queryOf(sealCallback(url, { ...seal, target: 'one' }, key));

	it('is the only one that accepts it', () => {
		const takers = ['one', 'two', '', 'on', 'one"', undefined];
		const results = takers.map((taker) => isAccepted(bound, phone, key, before, taker));
		expect(results).toEqual([true, false, false, false, false, false]);
	});

	it('is anyone who shares the key when none was named', () => {
		const results = ['one', 'two', undefined].map((taker) =>
			isAccepted(trueQuery, phone, key, before, taker),
		);
		expect(results).toEqual([true, true, true]);
	});

	it('cannot be moved into the reference', () => {
		const moved = { ...bound, ref: `${String(bound.ref)}","one` };
		expect(isAccepted(moved, phone, key, before, 'one')).toBe(false);
		expect(isAccepted(moved, phone, key, before)).toBe(false);
	});
});

it.each([0, 21, 42])(
	'compares whole signatures in constant time, wherever the first difference is (%i)',
	(at) => {
		const sig = String(trueQuery.sig);
		const wrong = sig.slice(0, at) + (sig[at] === 'A' ? 'B' : 'A') + sig.slice(at + 1);
		const compare = jest.spyOn(crypto, 'timingSafeEqual');
		expect(isAccepted({ ...trueQuery, sig: wrong }, phone, key, before)).toBe(false);
		expect(compare.mock.calls.map((texts) => texts.map(String))).toEqual([[wrong, sig]]);
		compare.mockRestore();
	},
);
