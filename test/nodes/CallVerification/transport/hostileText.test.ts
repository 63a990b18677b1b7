import { readBaseUrl } from '../../../../nodes/CallVerification/transport/credential';
import { checkSeal, withoutSeal } from '../../../../nodes/CallVerification/inbound/callbackSeal';
import { readCallbackUrl } from '../../../../nodes/CallVerification/inbound/callbackUrl';
import { readCode } from '../../../../nodes/CallVerification/codes/call';
import { readInboundEvent } from '../../../../nodes/CallVerification/inbound/inboundEvent';
import { parseIpAllowlist } from '../../../../nodes/CallVerification/inbound/ipAllowlist';
import { readCountryCode } from '../../../../nodes/CallVerification/phones/countryCode';
import {
	readPhone,
	readPhoneToCheck,
	readPrefixes,
	sameNumberKey,
} from '../../../../nodes/CallVerification/phones/phone';
import {
	createRedactor,
	excerpt,
	withoutQuery,
} from '../../../../nodes/CallVerification/transport/redact';
import { readVendorId } from '../../../../nodes/CallVerification/codes/call';
import { looksLikeData } from '../../../../nodes/CallVerification/phones/listFile';
import { parseRetryAfter } from '../../../../nodes/CallVerification/pacing/retry';

/**
 * Parsing untrusted text must take time in proportion to its length. At this length, a pattern that backtracks
 * at every character took 10 s, and one that does not took 50 ms at most: the limit is far from both.
 */
const LENGTH = 50_000;
const LIMIT_MS = 3_000;

const seal = { exp: '1800000000', ref: '', iss: '', nonce: 'A'.repeat(22), sig: 'A'.repeat(43) };
const allowed = parseIpAllowlist('192.0.2.0/24 2001:db8::/32');
const redact = createRedactor('secret key/+');

const READERS: Record<string, (text: string) => unknown> = {
	readPhone,
	readPhoneToCheck,
	'readPhoneToCheck with a country code': (text) => readPhoneToCheck(text, '44'),
	readCountryCode,
	readPrefixes,
	sameNumberKey,
	readCode,
	readVendorId,
	readCallbackUrl,
	withoutQuery,
	withoutSeal,
	readBaseUrl: (text) => readBaseUrl(text, 'Base URL'),
	'the header of a list': (text) => looksLikeData([text]),
	parseRetryAfter: (text) => parseRetryAfter(text, 0),
	'the number of an event': (text) => checkSeal(seal, text, 'key', 0),
	'the signature of a seal': (text) => checkSeal({ ...seal, sig: text }, '79000000001', 'key', 0),
	'the expiry of a seal': (text) => checkSeal({ ...seal, exp: text }, '79000000001', 'key', 0),
	'the reference of a seal': (text) => checkSeal({ ...seal, ref: text }, '79000000001', 'key', 0),
	'the issuer of a seal': (text) => checkSeal({ ...seal, iss: text }, '79000000001', 'key', 0),
	'the nonce of a seal': (text) => checkSeal({ ...seal, nonce: text }, '79000000001', 'key', 0),
	'an event': (text) => readInboundEvent({ callId: '1', clientNumber: text, callbackLink: text }),
	'the address of a sender': (text) => allowed?.(text),
	'an IP allowlist': parseIpAllowlist,
	redact,
	excerpt,
};

const UNITS = [
	...' \t\n-.()+,:/&=?#%[]@0179aAé',
	' 1',
	'1 ',
	'1 - ',
	'::',
	'1:',
	'1.',
	'1.0',
	'1E',
	'1.1E+',
	"'",
	'"',
	'x1',
	'x 1',
	'(x',
	';a=',
	'tel:1',
	'wa.me/1',
	'a@',
	'a@.',
	'phone=1&',
	'\uff11',
	'1234567 ',
	'\u200b',
	'1\u200b',
	'%2',
	'&sig=',
	'secret key',
	'%73',
	'\ud83d\ude00',
	'\ud800',
];
const ENDINGS = ['', 'x', '1', '!'];

/** Patterns that look further only after the right start. */
const STARTS = ['https://api.whatsapp.com/send?', 'a@', '+', '00', 'tel:'];
const UNITS_AFTER_START = ['&phone=1', ';a=1', '.', '.a', ' 1', '(1'];

function timed(read: (text: string) => unknown, text: string): number {
	const started = performance.now();
	try {
		read(text);
	} catch {
		// Refusing the text is fine too.
	}
	return performance.now() - started;
}

function* hostileTexts(): Generator<string> {
	for (const unit of UNITS) {
		for (const ending of ENDINGS) yield unit.repeat(LENGTH / unit.length) + ending;
	}
	// Longer, because these are slow only at every eighth character.
	for (const start of STARTS) {
		for (const unit of UNITS_AFTER_START)
			yield `${start}${unit.repeat((4 * LENGTH) / unit.length)} x`;
	}
}

it.each(Object.entries(READERS))('%s takes time in proportion to the text', (_name, read) => {
	const slow: string[] = [];
	for (const text of hostileTexts()) {
		let milliseconds = Infinity;
		// The machine may stand still once, but a slow pattern is slow each time.
		for (let attempt = 0; attempt < 3 && milliseconds > LIMIT_MS; attempt += 1) {
			milliseconds = timed(read, text);
		}
		if (milliseconds > LIMIT_MS) {
			slow.push(`${text.slice(0, 50)} … ${text.slice(-5)}: ${Math.round(milliseconds)} ms`);
			break;
		}
	}
	expect(slow).toEqual([]);
});

/** A pattern with a repeated group uses a stack, which overflows at some length. */
it.each(Object.entries(READERS))('%s can handle megabytes', (_name, read) => {
	const long = ['7', '7 ', '\u{e0020}'].map((unit) => unit.repeat(4_000_000));
	for (const text of [...long, `7${'-'.repeat(12_000_000)}`]) {
		try {
			read(text);
		} catch (error) {
			expect(error).not.toBeInstanceOf(RangeError);
		}
	}
});
