import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run adopt -- --owner NAME --email ADDRESS --repository OWNER/NAME

Makes you the owner of this package: your name, your repository and your address take the place of those in
package.json, in every file that names them. Run it once, before the first release, or again when they change.

--owner NAME             you or your company: the author of the package, and the holder of the copyright
--email ADDRESS          public: in package.json, and in SECURITY.md for people without an account on GitHub
--repository OWNER/NAME  your public repository on GitHub; its whole address is accepted, too

It changes nothing if a placeholder would be left, or if a file to be changed has changes that are not committed.
"git checkout ." undoes it.`;

export interface Owner {
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
