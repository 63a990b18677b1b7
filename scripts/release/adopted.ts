import type { Owner } from './owner';
import { ownerPlaceholders, placeholderIn } from './ownerPlaceholders';
import { slugOf } from './repository';

type Files = ReadonlyMap<string, string>;

interface Manifest {
	readonly name: string;
	readonly author: { readonly name: string; readonly email: string };
	readonly repository: { readonly url: string };
}

const COPYRIGHT = /^(Copyright \(c\) [\d-]+) .+$/m;

/**
 * The files that change, with the new owner in place of the one in package.json. Throws an Error if anything would still
 * stand for an owner.
 */
export function adopted(files: Files, owner: Owner): Map<string, string> {
	const { author, repository } = manifestOf(files);
	if (author.email === '') throw new Error('author.email in package.json must not be empty.');
	const linked = [...files].map(
		([path, text]) =>
			[
				path,
				text
					.replaceAll(addressOf(slugOf(repository.url)), () => owner.repository)
					.replaceAll(author.email, () => owner.email),
			] as const,
	);
	const all = new Map(linked.map(([path, text]) => [path, withName(path, text, owner.name)]));
	const left = placeholdersLeft(all);
	if (left.length > 0) {
		throw new Error(['Nothing was changed, because this would be left:', ...left].join('\n- '));
	}
	return new Map([...all].filter(([path, text]) => text !== files.get(path)));
}

/** One sentence for each. */
export function placeholdersLeft(files: Files): string[] {
	const manifest = manifestOf(files);
	const inManifest = ownerPlaceholders(manifest).map((sentence) => `package.json, ${sentence}`);
	const elsewhere = [...files]
		.filter(([path]) => path !== 'package.json')
		.map(([path, text]) => ({ path, found: placeholderIn(text, manifest.name) }))
		.filter(({ found }) => found !== '');
	return [...inManifest, ...elsewhere.map(({ path, found }) => `${path}: replace “${found}”.`)];
}

// `npm test` checks that it has these fields.
const manifestOf = (files: Files) => JSON.parse(files.get('package.json') ?? '{}') as Manifest;

/** In an address of GitHub or of its files, and not as the start of a longer name. */
function addressOf(slug: string): RegExp {
	const literal = slug.replaceAll('.', '\\.');
	return new RegExp(
		`(?<=github(?:usercontent)?\\.com[/:])${literal}(?![\\w-]|\\.(?!git\\b)\\w)`,
		'g',
	);
}

/** Only where it is known to be the owner's: elsewhere, a name may be a word like any other. */
function withName(path: string, text: string, name: string): string {
	if (path === 'LICENSE') {
		return text.replace(COPYRIGHT, (_line, start: string) => `${start} ${name}`);
	}
	if (path !== 'package.json') return text;
	const manifest = JSON.parse(text) as Manifest;
	return `${JSON.stringify({ ...manifest, author: { ...manifest.author, name } }, null, '\t')}\n`;
}
