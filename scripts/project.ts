import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..');

/** The text of every file of the project by its path, also of new ones, but of none that git ignores. */
export function textFiles(root: string): Map<string, string> {
	const listed = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z');
	// Not a link, whose target is another file, and not one that has just been deleted.
	const isFile = (path: string) =>
		lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
	const paths = listed.split('\0').filter((path) => path !== '' && isFile(path));
	const contents = paths.map((path) => [path, readFileSync(join(root, path))] as const);
	// A picture has such a byte, a text has none.
	const texts = contents.filter(([, content]) => !content.includes(0));
	return new Map(texts.map(([path, content]) => [path, content.toString('utf8')]));
}

export function git(root: string, ...args: string[]): string {
	return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** The owner and the name of a repository on GitHub, with a slash between them, from its URL in package.json. */
export function slugOf(url: string): string {
	const [slug] = /(?<=^git\+https:\/\/github\.com\/)[\w.-]+\/[\w.-]+(?=\.git$)/.exec(url) ?? [];
	if (slug !== undefined) return slug;
	throw new Error(
		`repository.url in package.json must look like git+https://github.com/OWNER/NAME.git, not ${url}`,
	);
}
