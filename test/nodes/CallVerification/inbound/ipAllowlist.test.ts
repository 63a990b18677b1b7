import fc from 'fast-check';
import { parseIpAllowlist } from '../../../../nodes/CallVerification/inbound/ipAllowlist';
import { thrownBy } from '../thrown';

const allows = (list: string, ip: string | undefined) => parseIpAllowlist(list)?.(ip);

describe('an IP allowlist', () => {
	it.each(['', ' ', '\n\t', ' , ,\n'])('that is blank is no list: %j', (text) => {
		expect(parseIpAllowlist(text)).toBeUndefined();
	});

	it.each([
		'203.0.113.7,2001:db8::1',
		'203.0.113.7 2001:db8::1',
		'203.0.113.7\r\n2001:db8::1\n',
		' ,203.0.113.7 , 2001:db8::1, ',
	])('accepts commas, spaces and line breaks: %j', (list) => {
		expect(allows(list, '203.0.113.7')).toBe(true);
		expect(allows(list, '2001:db8::1')).toBe(true);
		expect(allows(list, '203.0.113.8')).toBe(false);
	});

	it.each([
		['10.1.2.3/8', '10.9.9.9', true],
		['0.0.0.0/0', '255.255.255.255', true],
		['0.0.0.0/0', '2001:db8::1', false],
		['2001:DB8::A', '2001:0db8:0:0:0:0:0:000a', true],
		['::/0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
		['64:ff9b::192.0.2.33', '64:ff9b::c000:221', true],
	])('%s against %s: %s', (list, ip, expected) => {
		expect(allows(list, ip)).toBe(expected);
	});

	it.each([
		['1.2.3.4', '0:0:0:0:0:FFFF:0102:0304'],
		['::ffff:0:0/96', '1.2.3.4'],
	])('reads an IPv4 address inside IPv6 as that address: %s, %s', (list, ip) => {
		expect(allows(list, ip)).toBe(true);
	});

	it.each(['::/0', '::ffff:0:0/95', '::1.2.3.4'])('admits no IPv4 by the IPv6 entry %s', (list) => {
		expect(allows(list, '1.2.3.4')).toBe(false);
		expect(allows(list, '::ffff:1.2.3.4')).toBe(false);
	});

	it.each([
		undefined,
		'unknown',
		'10.0.0.1 ',
		'10.0.0.1:443',
		'10.0.0.1/32',
		'fe80::1%eth0',
		'x]@[2001:db8::1',
		'2001:db8::1]/x[',
	])('admits no sender whose address is %p', (ip) => {
		expect(allows('0.0.0.0/0 ::/0', ip)).toBe(false);
	});

	const WRONG = `
		localhost 10.0.0 10.0.0.0.0 10.0.0.256 10.0.0.01 10.0.0. 0x0a.0.0.1 1e1.0.0.1 10.0.0.*
		10.0.0.1-10.0.0.9 10.0.0.0/33 10.0.0.0/ 10.0.0.0/08 10.0.0.0/+8 10.0.0.0/-1 10.0.0.0/8/8
		10.0.0.0/255.0.0.0 /8 ::/129 ::1/ fe80::1%eth0 fe80::%1/64 [::1] : ::: ::1:: 1::2::3
		1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7::8 1:2:3:4:5:6:7: :1:2:3:4:5:6:7 12345::
		g:: ::1.2.3 ::1.2.3.256 1.2.3.4:: ::1.2.3.4:5 1:2:3:4:5:6:7:1.2.3.4 ::ffff:1.2.3.4/129
	`;

	it.each(WRONG.trim().split(/\s+/))('refuses %s, and says which entry is wrong', (entry) => {
		expect(thrownBy(() => parseIpAllowlist(`203.0.113.7, ${entry}\n2001:db8::1`))).toMatchObject({
			message: `“${entry}” in “IP Allowlist” is not an IP address or range`,
			advice:
				'Enter addresses or ranges, separated by commas, e.g. 203.0.113.7, 203.0.113.0/24, 2001:db8::1 or 2001:db8::/32.',
		});
	});
});

describe('any address', () => {
	const ipv4 = fc.ipV4();
	const addresses = fc.oneof(
		ipv4,
		fc.ipV6(),
		ipv4.map((text) => `::ffff:${text}`),
	);

	it('is distinguished from other text as in the URL standard', () => {
		const alike = fc.string({
			unit: fc.constantFrom(...'01259afF:.', '::', '255', ':1', '.0', '::ffff:'),
			maxLength: 16,
		});
		const spoiled = fc
			.tuple(addresses, fc.nat(), fc.constantFrom('', ':', '.', '0', 'f', '::', 'g'))
			.map(([text, at, sign]) => {
				const where = at % (text.length + 1);
				return text.slice(0, where) + sign + text.slice(where + 1);
			});
		fc.assert(
			fc.property(fc.oneof(alike, spoiled, addresses), (text) => {
				const isAddress = text.includes(':')
					? URL.canParse(`http://[${text}]`)
					: // Unlike this list, URLs accept 010.0.0.1 and 10.1: an address is what a URL leaves unchanged.
						/^[\d.]*\d$/.test(text) && urlHost(text) === text;
				expect(allows('0.0.0.0/0 ::/0', text)).toBe(isAddress);
			}),
			{ numRuns: 20_000 },
		);
	});

	it('is the same however it is spelled', () => {
		fc.assert(
			fc.property(fc.ipV6(), bitsOf(128), (text, bits) => {
				expect(allows(text, urlHost(`[${text}]`).slice(1, -1))).toBe(true);
				const shortened = urlHost(`[${ipv6Of(bits)}]`).slice(1, -1);
				expect(allows(ipv6Of(bits), shortened)).toBe(true);
			}),
			{ numRuns: 2000 },
		);
	});

	it('is in an IPv4 range exactly when its first bits are those of the range', () => {
		fc.assert(
			fc.property(bitsOf(32), fc.nat({ max: 32 }), fc.nat({ max: 31 }), (bits, prefix, at) => {
				const other = flipped(bits, at);
				const expected = other.slice(0, prefix) === bits.slice(0, prefix);
				expect(allows(`${ipv4Of(bits)}/${prefix}`, ipv4Of(other))).toBe(expected);
				expect(allows(`${ipv4Of(bits)}/${prefix}`, `::ffff:${ipv4Of(other)}`)).toBe(expected);
				expect(allows(`::ffff:${ipv4Of(bits)}/${prefix + 96}`, ipv4Of(other))).toBe(expected);
			}),
			{ numRuns: 2000 },
		);
	});

	it('is in an IPv6 range exactly when its first bits are those of the range', () => {
		fc.assert(
			fc.property(bitsOf(128), fc.nat({ max: 128 }), fc.nat({ max: 127 }), (bits, prefix, at) => {
				const other = flipped(bits, at);
				fc.pre(!isMapped(bits) && !isMapped(other));
				const expected = other.slice(0, prefix) === bits.slice(0, prefix);
				expect(allows(`${ipv6Of(bits)}/${prefix}`, ipv6Of(other))).toBe(expected);
			}),
			{ numRuns: 2000 },
		);
	});
});

/** Spelled out in zeros and ones, so that "the first bits" are the start of a string. */
function bitsOf(width: number) {
	const byte = fc.oneof(fc.constant(0), fc.nat({ max: 255 }));
	return fc
		.array(byte, { minLength: width / 8, maxLength: width / 8 })
		.map((bytes) => bytes.map((value) => value.toString(2).padStart(8, '0')).join(''));
}

function flipped(bits: string, at: number): string {
	return bits.slice(0, at) + (bits[at] === '0' ? '1' : '0') + bits.slice(at + 1);
}

function isMapped(bits: string): boolean {
	return bits.startsWith('0'.repeat(80) + '1'.repeat(16));
}

function pieces(bits: string, width: number): number[] {
	return (bits.match(new RegExp(`.{${width}}`, 'g')) ?? []).map((piece) => parseInt(piece, 2));
}

function ipv4Of(bits: string): string {
	return pieces(bits, 8).join('.');
}

function ipv6Of(bits: string): string {
	return pieces(bits, 16)
		.map((piece) => piece.toString(16))
		.join(':');
}

function urlHost(host: string): string {
	return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
}
