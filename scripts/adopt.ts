import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, getFileInfo, resolveConfig } from 'prettier';

import { git, ROOT, textFiles } from './project';
import { adopted, ownerFromFlags, USAGE } from './publishing';

async function main(): Promise<void> {
	const argv = process.argv.slice(2);
	if (argv.includes('--help')) return console.log(USAGE);
	const owner = ownerFromFlags(argv);
	const changed = adopted(textFiles(ROOT), owner);
	requireCommitted([...changed.keys()]);
	for (const [path, text] of changed) writeFileSync(join(ROOT, path), await formatted(path, text));

	const who = `${owner.name} <${owner.email}>, https://github.com/${owner.repository}`;
	if (changed.size === 0) return console.log(`Nothing to change: the owner is ${who}.`);
	console.log([`The owner is now ${who}. Changed:`, ...changed.keys()].join('\n  '));
	console.log(
		'"git diff" shows it, "git checkout ." undoes it. Go on with docs/maintainers/release.md.',
	);
}

/** Otherwise, to undo this would undo more. */
function requireCommitted(paths: readonly string[]): void {
	const edited = paths.length === 0 ? '' : git(ROOT, 'status', '--short', '--', ...paths);
	if (edited === '') return;
	throw new Error(
		`Nothing was changed. Commit these files first, or undo their changes with "git checkout .":\n${edited}`,
	);
}

/** A longer address changes the width of a table. */
async function formatted(path: string, text: string): Promise<string> {
	const file = join(ROOT, path);
	const { ignored, inferredParser } = await getFileInfo(file, {
		ignorePath: join(ROOT, '.prettierignore'),
	});
	if (ignored || inferredParser === null) return text;
	return await format(text, { ...(await resolveConfig(file)), filepath: file });
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
