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
