/** The fields of package.json that only the owner of the package can fill in. */
interface OwnedManifest {
	readonly name?: unknown;
	readonly author?: unknown;
	readonly repository?: unknown;
}

/** One sentence for each field of package.json that still has its placeholder. */
export function ownerPlaceholders({ name, author, repository }: OwnedManifest): string[] {
	const { name: authorName, email } = fieldsOf(author);
	const isInvented = (value: unknown) => typeof value !== 'string' || value.trim() === '';
	const madeWith = `${String(name)}/${String(name)}`;
	const url = fieldsOf(repository).url;
	return [
		...(isInvented(authorName) || authorName === `${String(name)} contributors`
			? ['author.name: enter your name, or that of your company.']
			: []),
		...(isInvented(email) || String(email).endsWith('.invalid')
			? ['author.email: enter an address at which you can be reached.']
			: []),
		...(isInvented(url) || String(url).includes(`/${madeWith}`)
			? ['repository.url: enter the public GitHub repository that this is published from.']
			: []),
	];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
