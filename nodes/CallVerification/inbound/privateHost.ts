import { parseIpAllowlist } from './ipAllowlist';

const isPrivateAddress = parseIpAllowlist(
	'0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::/128 ::1/128 fc00::/7 fe80::/10',
);

const LOCAL_NAME = /(?:^localhost|\.localhost|\.local|\.internal|\.lan|\.home\.arpa)$/i;

/** Whether a URL points to a host that cannot be reached from the internet. */
export function isPrivateHost(url: string): boolean {
	const host = new URL(url).hostname.replace(/[[\]]/g, '');
	if (isPrivateAddress?.(host) === true || LOCAL_NAME.test(host)) return true;
	return !host.includes('.') && !host.includes(':');
}
