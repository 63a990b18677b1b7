/** A table that is kept between two comments, which a reader of the page does not see. */
const MARKED = /<!-- fields (\S+) -->\n([\s\S]*?)<!-- \/fields -->/g;

/** The text between the markers, by the name in the first. */
export function markedTables(page: string): Array<[name: string, table: string]> {
	return [...page.matchAll(MARKED)].map(([, name = '', table = '']) => [name, table]);
}

export function replaceMarkedTables(page: string, tableFor: (name: string) => string): string {
	return page.replace(
		MARKED,
		(_all, name: string) => `<!-- fields ${name} -->\n\n${tableFor(name)}\n\n<!-- /fields -->`,
	);
}
