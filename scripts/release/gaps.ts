/** What keeps a version from being published: no owner yet, no changelog, or pages that speak of an earlier state. */

/** The fields of package.json that only the owner of the package can fill in. */
interface OwnedManifest {
	readonly name?: unknown;
	readonly author?: unknown;
	readonly repository?: unknown;
}

/** One sentence for each placeholder of the owner in these files, by their paths. */
export function placeholdersLeft(files: ReadonlyMap<string, string>): string[] {
	const manifest = JSON.parse(files.get('package.json') ?? '{}') as OwnedManifest;
	const inManifest = ownerPlaceholders(manifest).map((sentence) => `package.json, ${sentence}`);
	const elsewhere = [...files]
		.filter(([path]) => path !== 'package.json')
		.map(([path, text]) => ({ path, found: placeholderIn(text, String(manifest.name)) }))
		.filter(({ found }) => found !== '');
	return [...inManifest, ...elsewhere.map(({ path, found }) => `${path}: replace “${found}”.`)];
}

/** One sentence for each field of package.json that still has its placeholder. */
export function ownerPlaceholders({ name, author, repository }: OwnedManifest): string[] {
	const { name: authorName, email } = fieldsOf(author);
	const { url } = fieldsOf(repository);
	const isMissing = (value: unknown) =>
		typeof value !== 'string' || value.trim() === '' || placeholderIn(value, String(name)) !== '';
	return [
		...(isMissing(authorName) ? ['author.name: enter your name, or that of your company.'] : []),
		...(isMissing(email) ? ['author.email: enter an address at which you can be reached.'] : []),
		...(isMissing(url)
			? ['repository.url: enter the public GitHub repository that this is published from.']
			: []),
	];
}

/** What stands for the owner in a text, as it is written there; empty if nothing does. */
function placeholderIn(text: string, name: string): string {
	const [found = ''] =
		new RegExp(`${name} contributors|[\\w.-]+@[\\w.-]+\\.invalid|\\b${name}/${name}\\b`).exec(
			text,
		) ?? [];
	return found;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

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

/** One sentence for each page that would deny, in the published package, that it was published. */
export function statusGaps(files: ReadonlyMap<string, string>): string[] {
	return ['README.md', 'SECURITY.md', 'docs/installation.md']
		.filter((path) => files.get(path)?.includes('is not published yet'))
		.map((path) => `${path}: remove that the version is not published yet.`);
}
