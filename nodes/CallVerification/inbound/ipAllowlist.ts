import { InputError } from '../contract/request';

export type IpMatcher = (ip: string | undefined) => boolean;

interface Range {
	readonly address: bigint;
	/** How many of the first bits belong to the range. */
	readonly prefix: number;
}

// ::ffff:0:0/96, where IPv6 shows IPv4 addresses.
const MAPPED_PREFIX = 96;

const IPV4 = /^[\d.]+$/;
const IPV6 = /^[\da-f:.]+$/i;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/**
 * Reads addresses and CIDR ranges separated by commas, spaces or line breaks. Returns undefined for an empty list, so
 * that the caller has to allow everything explicitly.
 */
export function parseIpAllowlist(text: string): IpMatcher | undefined {
	const entries = text.split(/[\s,]/).filter((entry) => entry !== '');
	if (entries.length === 0) return undefined;
	const ranges = entries.map(readRange);
	return (ip = '') => {
		const address = parseAddress(ip);
		return address !== undefined && ranges.some((range) => contains(range, address));
	};
}

function readRange(entry: string): Range {
	const [addressText = '', prefixText, ...rest] = entry.split('/');
	const address = parseAddress(addressText);
	const prefix = readPrefix(prefixText, IPV4.test(addressText) ? MAPPED_PREFIX : 0);
	if (address === undefined || prefix === undefined || rest.length > 0) {
		throw new InputError(
			`“${entry}” in “IP Allowlist” is not an IP address or range`,
			'Enter addresses or ranges, separated by commas, e.g. 203.0.113.7, 203.0.113.0/24, 2001:db8::1 or 2001:db8::/32.',
		);
	}
	return { address, prefix };
}

/** @param before How many bits of IPv6 come before the address. */
function readPrefix(text: string | undefined, before: number): number | undefined {
	if (text === undefined) return 128;
	const prefix = before + Number(text);
	return PREFIX_LENGTH.test(text) && prefix <= 128 ? prefix : undefined;
}

function contains({ address, prefix }: Range, other: bigint): boolean {
	// ::/0 means every IPv6 address, but no IPv4 address.
	const isIpv4 = other >> 32n === 0xffffn;
	if (isIpv4 && prefix < MAPPED_PREFIX) return false;
	const hostBits = BigInt(128 - prefix);
	return address >> hostBits === other >> hostBits;
}

/** As IPv6, where an IPv4 address has only one form, however it was written. */
function parseAddress(text: string): bigint | undefined {
	if (text.includes(':')) return IPV6.test(text) ? parseIpv6(text) : undefined;
	// What a URL does not leave unchanged is ambiguous: some systems read 010 as eight.
	return IPV4.test(text) && hostOf(text) === text ? parseIpv6(`::ffff:${text}`) : undefined;
}

function parseIpv6(text: string): bigint | undefined {
	const host = hostOf(`[${text}]`);
	if (host === undefined) return undefined;
	const [before = [], after = []] = host
		.slice(1, -1)
		.split('::')
		.map((side) => side.split(':').filter((group) => group !== ''));
	const zeros = Array<string>(8 - before.length - after.length).fill('0');
	const groups = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0'));
	return BigInt(`0x${groups.join('')}`);
}

/** In the one form that a URL has for it; undefined if it is no host. */
function hostOf(text: string): string | undefined {
	return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined;
}
