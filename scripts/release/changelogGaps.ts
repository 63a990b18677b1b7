/** One sentence for each thing that the changelog lacks for this version to be released. */
export function changelogGaps(changelog: string, version: string): string[] {
	const headings = [...changelog.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
	const isDated = headings.some(
		(heading) => heading.startsWith(`${version} - `) && /^\S+ - \d{4}-\d\d-\d\d$/.test(heading),
	);
	return [
		...(headings.includes('Unreleased')
			? [`CHANGELOG.md: move what is under “Unreleased” to ${version}, and remove the heading.`]
			: []),
		...(isDated
			? []
			: [
					`CHANGELOG.md: give ${version} a heading with its date, such as “## ${version} - 2026-12-31”.`,
				]),
	];
}
