import fc from 'fast-check';

import {
	createRedactor,
	createSecretFilter,
	excerpt,
	maskNumbers,
	redactedExcerpt,
	withoutQuery,
} from '../../../../nodes/CallVerification/transport/redact';

/** As JSON in ASCII spells each character. */
const escapedInJson = (text: string) =>
	[...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('words that come from outside', () => {
	it('lose the secret key in every spelling', () => {
		const secret = fc.string({ minLength: 4, unit: 'grapheme' });
		fc.assert(
			fc.property(secret, (key) => {
				fc.pre(!'•before after'.includes(key));
				const redact = createRedactor(key);
				return [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)].every(
					(spelling) => !redact(`before ${spelling} after`).includes(spelling),
				);
			}),
		);
	});

	it.each([
		['a URL that spells more than it must', '%73%6b%2d%21%2F%25%20%22%26'],
		['a URL in small letters', 'sk-!%2f%25+%22%26'],
		['JSON that spells slashes out', 'sk-!\\/% \\"&'],
		['JSON in ASCII', 'sk\\u002d\\u0021/% \\u0022\\u0026'],
		['HTML', 'sk-!/% &quot;&amp;'],
		['HTML in numbers', 'sk-&#33;&#47;&#37; &#34;&#38;'],
	])('lose the secret key in %s', (_where, spelling) => {
		expect(createRedactor('sk-!/% "&')(`before ${spelling} after`)).toBe('before ••• after');
	});

	it.each([
		['a URL', '%6B%3C%F0%9F%98%80%3E%09'],
		['JSON', 'k<😀>\\t'],
		['JSON in ASCII', 'k\\u003C\\uD83D\\uDE00\\u003E\\u0009'],
		['HTML', 'k&lt;😀&gt;\t'],
	])('lose the rarer characters of a secret key in %s', (_where, spelling) => {
		expect(createRedactor('k<😀>\t')(`before ${spelling} after`)).toBe('before ••• after');
	});

	it.each([
		['a URL', 'see https://n8n.test/x?exp=1&nonce=aB-_9&sig=cD-_8&a=b', 'nonce=•••&sig=•••&a=b'],
		['n8n’s token of a resume URL', '/webhook-waiting/7?signature=0a1b&x', 'signature=•••&x'],
		[
			'a URL in a URL',
			'callback_url=x%3Fnonce%3DaB-_9%26sig%3DcD-_8%26a',
			'nonce%3D•••%26sig%3D•••%26a',
		],
		['a URL escaped twice', 'x%253Fsig%253DcD-_8%2526a', 'sig%253D•••%2526a'],
		['JSON', '{"nonce": "aB-_9", "sig":"cD-_8"}', '"nonce": "•••", "sig":"•••"'],
		['JSON in ASCII', 'sig\\u003dcD-_8\\u0026a', 'sig\\u003d•••\\u0026a'],
		['HTML', 'exp=1&amp;sig=cD-_8&amp;a', 'sig=•••&amp;a'],
	])('lose a seal in %s', (_where, text, redacted) => {
		for (const secret of ['sk-live', '']) {
			const result = createRedactor(secret)(text);
			expect(result).toContain(redacted);
			expect(result).not.toMatch(/aB-_9|cD-_8|0a1b/);
		}
	});

	it.each(['design=flat', 'a signature', 'sig', 'assign: x'])('keep %j', (text) => {
		expect(createRedactor('sk-live')(text)).toBe(text);
	});

	it('can be redacted with any key, even one with half a character', () => {
		expect(createRedactor('half \ud800 [key')('a half \ud800 [key b')).toBe('a ••• b');
	});

	it('are left alone by a key that could be found in them by chance', () => {
		const record = { country: 'Russia', phone: 79000000001, provider: null };
		expect(createSecretFilter('Russia')(record)).toEqual(record);
		expect(createSecretFilter('Germany')({ country: 'Germany' })).toEqual({ country: 'Germany' });
		expect(createSecretFilter('Portugal')({ country: 'Portugal' })).toEqual({ country: '•••' });
	});

	it('are left alone by an empty key', () => {
		expect(createRedactor('')('unchanged')).toBe('unchanged');
	});

	it.each([
		['79001234567 is wrong', '•••67 is wrong'],
		['+7 (900) 123-45-67', '+•••67'],
		['code 401', 'code 401'],
		['79001234567, 79007654321', '•••67, •••21'],
		['1234\u0000567', '•••67'],
		['٧٩٠٠١٢٣٤٥٦٧', '•••٦٧'],
		['𝟏𝟐𝟑𝟒𝟓𝟔𝟕😀', '•••𝟔𝟕😀'],
		['?phone=%2B7%20900%20000%2000%2001&x', '?phone=%2B•••01&x'],
		['?phone=7+900+000+00+01&x', '?phone=•••01&x'],
		['7\\u00a0900\\u2009000\\u00a000\\u00a001"', '•••01"'],
		['123%20456', '123%20456'],
	])('keep two digits of a number: %j', (text, masked) => {
		expect(maskNumbers(text)).toBe(masked);
	});

	it('show nothing of the end of a number that is longer than what is read at once', () => {
		expect(maskNumbers('1'.repeat(1_003))).toBe('•••11•••');
		expect(maskNumbers(`${'1'.repeat(1_000)} and 23`)).toBe('•••11 and 23');
	});

	it.each([
		['{"vendor_id":5,"code":"0042"', '{"vendor_id":5,"code":"••••"'],
		['{"code": 1042}', '{"code": ••••}'],
		['{\\"code\\":\\"0042\\"}', '{\\"code\\":\\"••••\\"}'],
		['?code=0042&phone', '?code=••••&phone'],
		['&quot;code&quot;:&quot;0042&quot;', '&quot;code&quot;:&quot;••••&quot;'],
		['{&#34;code&#34;:&#34;0042&#34;}', '{&#34;code&#34;:&#34;••••&#34;}'],
		['%22code%22%3A%220042%22', '%22code%22%3A%22••••%22'],
		['x%26code%3D0042', 'x%26code%3D••••'],
		['{\\\\\\"code\\\\\\":\\\\\\"0042\\\\\\"}', '{\\\\\\"code\\\\\\":\\\\\\"••••\\\\\\"}'],
		["'code' => '0042'", "'code' => '••••'"],
		['{"code":401,"country_code":1234}', '{"code":401,"country_code":1234}'],
	])('lose the code of a call: %s', (text, masked) => {
		expect(createRedactor('')(text)).toBe(masked);
		expect(createRedactor('any key')(text)).toBe(masked);
	});

	it('are masked as by the equivalent one-line pattern', () => {
		const words = fc.string({
			unit: fc.constantFrom(...'0189 -.(xя', '\u200b', '７', '😀', '\ud800'),
		});
		const pattern = /\p{Nd}(?:[\s\p{Dash}.()\p{Cc}\p{DI}]*\p{Nd}){6,}/gu;
		fc.assert(
			fc.property(words, (text) => {
				const masked = text.replace(
					pattern,
					(number) => `•••${number.replace(/\P{Nd}/gu, '').slice(-2)}`,
				);
				expect(maskNumbers(text)).toBe(masked);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('are cut to one line', () => {
		expect(excerpt(' a\n\n b ')).toBe('a b');
		expect(excerpt('a\u001b[2J\u0000\u0085b\u202ec\u2066d')).toBe('a [2J b c d');
		expect(excerpt('x'.repeat(160))).toBe('x'.repeat(160));
		expect(excerpt('x'.repeat(500))).toBe(`${'x'.repeat(160)}…`);
		expect(excerpt(`${'x'.repeat(159)}😀`)).toBe(`${'x'.repeat(159)}…`);
		expect(excerpt('half \ud83d')).toBe('half \ufffd');
	});

	/** As many characters of a text are read at most. */
	const READ = 64 * 1024;

	it('are shown without their blanks, however many, where all of them are read', () => {
		const end = 'x'.repeat(200);
		expect(excerpt('begin'.padEnd(READ))).toBe('begin');
		expect(excerpt('begin'.padEnd(READ - end.length) + end)).toBe(`begin ${'x'.repeat(154)}…`);
	});

	describe('of many megabytes', () => {
		const filler = 'x'.repeat(10_000_000);

		it('are redacted only as far as they may be shown', () => {
			const redact = jest.fn((text: string) => text);
			expect(redactedExcerpt(filler, redact)).toBe(`${'x'.repeat(160)}…`);
			const read = redact.mock.calls.map(([text]) => text.length);
			expect(Math.max(...read)).toBeLessThanOrEqual(READ);
		});

		it.each([
			['a key', 'sk-Zq8vN2xT', 'sk-Zq8vN2xT'],
			['an escaped key', 'sk-Zq8vN2xT', escapedInJson('sk-Zq8vN2xT')],
			['a number', 'sk-Zq8vN2xT', '79001234567'],
			['a number with separators', 'sk-Zq8vN2xT', [...'79001234567'].join('-'.repeat(999))],
			['a number with long separators', 'sk-Zq8vN2xT', [...'7900123'].join('\\u0020'.repeat(999))],
		])('show no part of %s, wherever they are cut', (_what, key, secret) => {
			const redact = createRedactor(key);
			const step = Math.ceil(secret.length / 50);
			for (const cut of [READ, 16 * 1024]) {
				for (let before = 0; before <= secret.length; before += step) {
					// One blank is left of these, so that what comes after them would be shown.
					const blanks = ' '.repeat(Math.max(0, cut - before - 'begin'.length));
					const shown = redactedExcerpt(`begin${blanks}${secret}${filler}`, redact);
					expect(shown).toMatch(/^begin ?(?:•••\d{0,2}|x)*…$/);
				}
			}
		});
	});
});

describe('a URL in an output or a log', () => {
	it.each([
		[
			'https://n8n.test/webhook-waiting/17/inbound-call?signature=t&sig=s',
			'https://n8n.test/webhook-waiting/17/inbound-call',
		],
		['https://user:password@n8n.test:8443/hook#sig=s', 'https://n8n.test:8443/hook'],
		['/hook?sig=s', '/hook'],
		['data:x?sig=s', 'data:x'],
		['no URL at all', 'no URL at all'],
		['', ''],
	])('shows of %j only %j', (url, shown) => {
		expect(withoutQuery(url)).toBe(shown);
	});
});
