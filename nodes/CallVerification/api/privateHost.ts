import { parseIpAllowlist } from './ipAllowlist';

const isPrivateAddress = parseIpAllowlist(
	'0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::/128 ::1/128 fc00::/7 fe80::/10',
);

const LOCAL_NAME = /(?:^localhost|\.localhost|\.local|\.internal|\.lan|\.home\.arpa)$/i;

const END = '(?:[:/\\s]|$)';
const LOCAL_HOSTS = [
	`[^.:/\\s[]+${END}`,
	`[^:/\\s]+\\.(?:localhost|local|internal|lan|home\\.arpa)${END}`,
	`(?:0|10|127)(?:\\.\\d+){3}${END}`,
	`(?:169\\.254|192\\.168|172\\.(?:1[6-9]|2\\d|3[01])|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7]))(?:\\.\\d+){2}${END}`,
	'\\[(?:::1?\\]|[fF][cCdD]|[fF][eE][89aAbB])',
];

/** The same for n8n's editor, which only supports patterns: matches a plain-HTTP URL to any other host. */
export const PUBLIC_PLAIN_HTTP = `^\\s*[hH][tT][tT][pP]://(?!${LOCAL_HOSTS.join('|')})[^/\\s]`;

/** Whether a URL points to a host that cannot be reached from the internet. */
export function isPrivateHost(url: string): boolean {
	const host = new URL(url).hostname.replace(/[[\]]/g, '');
	if (isPrivateAddress?.(host) === true || LOCAL_NAME.test(host)) return true;
	return !host.includes('.') && !host.includes(':');
}
