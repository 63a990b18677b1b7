/** One sentence for each page that would deny, in the published package, that it was published. */
export function statusGaps(files: ReadonlyMap<string, string>): string[] {
	return ['README.md', 'SECURITY.md', 'docs/installation.md']
		.filter((path) => files.get(path)?.includes('is not published yet'))
		.map((path) => `${path}: remove that the version is not published yet.`);
}
