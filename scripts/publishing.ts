import { parseArgs } from 'node:util';

import { slugOf } from './project';

/**
 * What keeps a version from being published (no owner yet, no changelog, or pages that speak of an earlier state), and
 * who becomes the owner.
 */

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

export const USAGE = `Usage: npm run adopt -- --owner NAME --email ADDRESS --repository OWNER/NAME

Makes you the owner of this package: your name, your repository and your address take the place of those in
package.json, in every file that names them. Run it once, before the first release, or again when they change.

--owner NAME             you or your company: the author of the package, and the holder of the copyright
--email ADDRESS          public: in package.json, and in SECURITY.md for people without an account on GitHub
--repository OWNER/NAME  your public repository on GitHub; its whole address is accepted, too

It changes nothing if a placeholder would be left, or if a file to be changed has changes that are not committed.
"git checkout ." undoes it.`;

interface Owner {
	readonly name: string;
	readonly email: string;
	/** On GitHub: owner and name, with a slash between them. */
	readonly repository: string;
}

const ON_GITHUB =
	/^(?:(?:git\+)?https:\/\/github\.com\/|git@github\.com:)?([a-z\d][a-z\d-]{0,38}\/[\w.-]{1,100}?)(?:\.git)?\/?$/i;
const ADDRESS = /^[^\s@<>()",;:]+@[^\s@<>()",;:]+\.[a-z][a-z\d-]+$/i;
/** Nobody can have an address there. */
const RESERVED = /[@.](?:example\.(?:com|net|org)|example|invalid|localhost|test)$/i;

/** Throws an Error that says everything that is wrong. */
export function ownerFromFlags(argv: readonly string[]): Owner {
	const { owner, email, repository } = parse(argv);
	const [, slug] = ON_GITHUB.exec(repository.trim()) ?? [];
	const problems = [
		...problemsOf('--owner', owner, {
			'must be one line, without < and >': !/^[^<>\p{Cc}]*$/u.test(owner),
		}),
		...problemsOf('--email', email, {
			'must be one address, such as ann@your-domain.org': !ADDRESS.test(email.trim()),
			'must be an address at which you can be reached': RESERVED.test(email.trim()),
		}),
		...problemsOf('--repository', repository, {
			'must be a repository on GitHub, such as your-name/n8n-nodes-call-verification':
				slug === undefined,
		}),
	];
	if (slug === undefined || problems.length > 0) throw withUsage(problems.join('\n'));
	return { name: owner.trim(), email: email.trim(), repository: slug };
}

function parse(argv: readonly string[]) {
	const text = { type: 'string', default: '' } as const;
	try {
		return parseArgs({
			args: [...argv],
			options: { owner: text, email: text, repository: text },
		}).values;
	} catch (error) {
		throw withUsage(error instanceof Error ? error.message : String(error));
	}
}

/** The first that applies. */
function problemsOf(flag: string, value: string, checks: Readonly<Record<string, boolean>>) {
	if (value.trim() === '') return [`${flag} is missing.`];
	const [problem] = Object.keys(checks).filter((text) => checks[text]);
	return problem === undefined ? [] : [`${flag} ${problem}, not “${value}”.`];
}

const withUsage = (problem: string) => new Error(`${problem}\n\n${USAGE}`);

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
