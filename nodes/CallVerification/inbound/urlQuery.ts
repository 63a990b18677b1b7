/*
 * Not with URLSearchParams, which would re-encode the whole query. What others put there, such as n8n's token on a
 * resume URL, must stay unchanged.
 */

export function addToQuery(url: string, parameters: string): string {
	const { path, query, fragment } = splitUrl(url);
	const before = query === undefined || query === '' ? '' : `${query}&`;
	return `${path}?${before}${parameters}${fragment}`;
}

export function withoutParameters(url: string, isUnwanted: (name: string) => boolean): string {
	const { path, query, fragment } = splitUrl(url);
	if (query === undefined) return url;
	const kept = query.split('&').filter((parameter) => !isUnwanted(nameOf(parameter)));
	return kept.length === 0 ? path + fragment : `${path}?${kept.join('&')}${fragment}`;
}

function splitUrl(url: string): { path: string; query: string | undefined; fragment: string } {
	const hash = url.indexOf('#');
	const address = hash === -1 ? url : url.slice(0, hash);
	const fragment = hash === -1 ? '' : url.slice(hash);
	const mark = address.indexOf('?');
	if (mark === -1) return { path: address, query: undefined, fragment };
	return { path: address.slice(0, mark), query: address.slice(mark + 1), fragment };
}

function nameOf(parameter: string): string {
	const equals = parameter.indexOf('=');
	const name = equals === -1 ? parameter : parameter.slice(0, equals);
	try {
		return decodeURIComponent(name);
	} catch {
		return name;
	}
}
