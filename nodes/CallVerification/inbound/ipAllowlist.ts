import { InputError } from '../contract/request';

// The first bits of ::ffff:0:0/96, where IPv6 shows IPv4 addresses.
const MAPPED = '0'.repeat(80) + '1'.repeat(16);

const IPV4 = /^[\d.]+$/;
const IPV6 = /^[\da-f:.]+$/i;
const RANGE = /^([\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i;

/** Addresses and CIDR ranges. Undefined for an empty list, so that the caller has to allow everything explicitly. */
export function parseIpAllowlist(text: string) {
	const ranges = text.match(/[^\s,]+/g)?.map(firstBitsOf);
	if (ranges === undefined) return undefined;
	return (ip = '') => {
		const bits = bitsOf(ip);
		if (bits === undefined) return false;
		// ::/0 means every IPv6 address, but no IPv4 address.
		const shortest = bits.startsWith(MAPPED) ? MAPPED.length : 0;
		return ranges.some((range) => range.length >= shortest && bits.startsWith(range));
	};
}

/** The bits that all addresses of a range share. */
function firstBitsOf(entry: string): string {
	const [, address = '', prefix] = RANGE.exec(entry) ?? [];
	const bits = bitsOf(address);
	const before = IPV4.test(address) ? MAPPED.length : 0;
	const length = prefix === undefined ? 128 : before + Number(prefix);
	if (bits !== undefined && length <= bits.length) return bits.slice(0, length);
	throw new InputError(
		`“${entry}” in “IP Allowlist” is not an IP address or range`,
		'Enter addresses or ranges, separated by commas, e.g. 203.0.113.7, 203.0.113.0/24, 2001:db8::1 or 2001:db8::/32.',
	);
}

/** As IPv6, where an IPv4 address has only one form, however it was written. */
function bitsOf(text: string): string | undefined {
	if (text.includes(':')) return IPV6.test(text) ? bitsOfIpv6(text) : undefined;
	// What a URL does not leave unchanged is ambiguous: some systems read 010 as eight.
	return IPV4.test(text) && hostOf(text) === text ? bitsOfIpv6(`::ffff:${text}`) : undefined;
}

function bitsOfIpv6(text: string): string | undefined {
	const groups = hostOf(`[${text}]`)?.match(/[\da-f]+|::/g);
	if (!groups) return undefined;
	// “::” stands for all that are missing of eight.
	const missing = Array<string>(8 - (groups.length - 1)).fill('0');
	return groups
		.flatMap((group) => (group === '::' ? missing : group))
		.map((group) => parseInt(group, 16).toString(2).padStart(16, '0'))
		.join('');
}

/** In the one form that a URL has for it; undefined if it is no host. */
const hostOf = (text: string) =>
	URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined;
