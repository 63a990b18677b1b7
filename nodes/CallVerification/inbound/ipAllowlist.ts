import { InputError } from '../contract/request';

export type IpMatcher = (ip: string | undefined) => boolean;

interface Address {
	family: 4 | 6;
	bits: bigint;
}

interface Network extends Address {
	/** How many low bits may differ. */
	hostBits: bigint;
}

const WIDTH = { 4: 32, 6: 128 };
const IPV4_OCTET = /^(?:0|[1-9]\d{0,2})$/;
const IPV6_GROUP = /^[\da-f]{1,4}$/i;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

// ::ffff:0:0/96, where a dual-stack socket shows IPv4 clients.
const MAPPED_PREFIX_LENGTH = 96;

/**
 * Reads addresses and CIDR ranges separated by commas, spaces or line breaks. Returns undefined for an empty list, so
 * that the caller has to allow everything explicitly.
 */
export function parseIpAllowlist(text: string): IpMatcher | undefined {
	const entries = text.split(/[\s,]/).filter((entry) => entry !== '');
	if (entries.length === 0) return undefined;
	const networks = entries.map(networkOf);
	return (ip) => {
		const caller = ip === undefined ? undefined : parseAddress(ip);
		if (caller === undefined) return false;
		const address = unmapped(caller, WIDTH[caller.family]);
		return networks.some((network) => contains(network, address));
	};
}

function networkOf(entry: string): Network {
	const [addressText = '', prefixText, ...rest] = entry.split('/');
	const written = parseAddress(addressText);
	const prefix = written && parsePrefix(prefixText, WIDTH[written.family]);
	if (written === undefined || prefix === undefined || rest.length > 0) {
		throw new InputError(
			`“${entry}” in “IP Allowlist” is not an IP address or range`,
			'Enter addresses or ranges, separated by commas, e.g. 203.0.113.7, 203.0.113.0/24, 2001:db8::1 or 2001:db8::/32.',
		);
	}
	return unmapped(written, prefix);
}

function contains(network: Network, address: Address): boolean {
	return (
		network.family === address.family &&
		network.bits >> network.hostBits === address.bits >> network.hostBits
	);
}

/*
 * An IPv4 address written as IPv6 is that IPv4 address. A range beyond the mapped block stays IPv6 and matches no IPv4:
 * ::/0 means every IPv6 address.
 */
function unmapped({ family, bits }: Address, prefix: number): Network {
	const hostBits = BigInt(WIDTH[family] - prefix);
	// An IPv4 address has only 32 bits, so it is never mapped.
	const isMapped = bits >> 32n === 0xffffn && prefix >= MAPPED_PREFIX_LENGTH;
	return isMapped ? { family: 4, bits: bits & 0xffff_ffffn, hostBits } : { family, bits, hostBits };
}

function parsePrefix(text: string | undefined, width: number): number | undefined {
	if (text === undefined) return width;
	if (!PREFIX_LENGTH.test(text) || Number(text) > width) return undefined;
	return Number(text);
}

function parseAddress(text: string): Address | undefined {
	const family = text.includes(':') ? 6 : 4;
	const bits = family === 6 ? parseIpv6(text) : parseIpv4(text);
	return bits === undefined ? undefined : { family, bits };
}

// No leading zeros: some systems read 010 as eight.
function parseIpv4(text: string): bigint | undefined {
	const octets = text.split('.');
	if (octets.length !== 4) return undefined;
	if (!octets.every((octet) => IPV4_OCTET.test(octet) && Number(octet) <= 255)) return undefined;
	return octets.reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n);
}

function parseIpv6(text: string): bigint | undefined {
	const sides = withoutDottedEnd(text)
		.split('::')
		.map((side) => (side === '' ? [] : side.split(':')));
	const groups = sides.length === 1 ? sides.flat() : filledUp(sides);
	if (groups?.length !== 8 || !groups.every((group) => IPV6_GROUP.test(group))) return undefined;
	return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

// "::" stands for at least one group, and may occur only once.
function filledUp(sides: string[][]): string[] | undefined {
	const [before = [], after = [], ...others] = sides;
	if (others.length > 0) return undefined;
	const missing = 8 - before.length - after.length;
	return missing < 1 ? undefined : [...before, ...Array<string>(missing).fill('0'), ...after];
}

/** Turns a dotted end, as in ::ffff:192.0.2.1, into its two groups. */
function withoutDottedEnd(text: string): string {
	const lastColon = text.lastIndexOf(':');
	const bits = parseIpv4(text.slice(lastColon + 1));
	if (bits === undefined) return text;
	const groups = [bits >> 16n, bits & 0xffffn].map((group) => group.toString(16));
	return text.slice(0, lastColon + 1) + groups.join(':');
}
