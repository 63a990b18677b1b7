/** The owner and the name of a repository on GitHub, with a slash between them, from its URL in package.json. */
export function slugOf(url: string): string {
	const [slug] = /(?<=^git\+https:\/\/github\.com\/)[\w.-]+\/[\w.-]+(?=\.git$)/.exec(url) ?? [];
	if (slug !== undefined) return slug;
	throw new Error(
		`repository.url in package.json must look like git+https://github.com/OWNER/NAME.git, not ${url}`,
	);
}
