import { InputError } from '../contract/request';

/** Returns the URL unchanged, because the service must call exactly what the user entered. */
export function readCallbackUrl(value: unknown): string {
	const url = typeof value === 'string' ? value.trim() : '';
	if (!URL.canParse(url) || !/^https?:\/\//i.test(url)) {
		throw new InputError(
			'“Callback URL” is not a complete URL',
			'Enter a complete URL that the service can reach from the internet, e.g. https://example.com/inbound-call.',
		);
	}
	return url;
}

/**
 * For outputs: without the seal, n8n's own token of a resume URL, and a password before the host. Accepts any text,
 * because an event may contain any.
 */
export function withoutQuery(url: string): string {
	if (!URL.canParse(url) || new URL(url).origin === 'null') return url.replace(/[?#].*/s, '');
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}
