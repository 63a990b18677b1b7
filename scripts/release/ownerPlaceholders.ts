/** The fields of package.json that only the owner of the package can fill in. */
interface OwnedManifest {
	readonly name?: unknown;
	readonly author?: unknown;
	readonly repository?: unknown;
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
export function placeholderIn(text: string, name: string): string {
	const [found = ''] =
		new RegExp(`${name} contributors|[\\w.-]+@[\\w.-]+\\.invalid|\\b${name}/${name}\\b`).exec(
			text,
		) ?? [];
	return found;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
