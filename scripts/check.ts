import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type Command, runAtOnce, runShown } from './atOnce';

/**
 * `npm run check`: the types of everything, and of what changed since main the lint, the formatting and the unit tests
 * that depend on it. `--staged` checks what is about to be committed, without tests. `--watch` stays, and checks types
 * and tests with every file that is saved.
 */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { staged: { type: 'boolean' }, watch: { type: 'boolean' } },
	});
	if (values.watch) return await watch();
	const files = values.staged ? stagedFiles() : changedFiles();
	const failed = await runAtOnce([
		TYPES,
		...lintOf(files),
		...formattingOf(files),
		...(values.staged ? [] : testsOf(files)),
	]);
	if (failed.length === 0) return;
	console.error(`\nFailed: ${failed.join(', ')}`);
	process.exitCode = 1;
}

const TYPES: Command = {
	title: 'types',
	words: ['npx', 'tsc', '--project', 'test/tsconfig.json'],
};

const JEST = ['npx', 'jest', '--selectProjects', 'unit'];

function git(...args: string[]): string[] {
	const names = execFileSync('git', args, { encoding: 'utf8' }).split('\n');
	return names.filter((name) => name !== '' && existsSync(name));
}

function stagedFiles(): string[] {
	return git('diff', '--cached', '--name-only');
}

/** Since this branch left main, and what is not committed yet. */
function changedFiles(): string[] {
	const untracked = git('ls-files', '--others', '--exclude-standard');
	return [...git('diff', '--name-only', leftMain()), ...untracked];
}

function leftMain(): string {
	for (const main of ['main', 'origin/main']) {
		try {
			return execFileSync('git', ['merge-base', main, 'HEAD'], {
				encoding: 'utf8',
				stdio: 'pipe',
			}).trim();
		} catch {
			// There is no such branch here.
		}
	}
	return 'HEAD';
}

/** n8n's own rules for what is published, ours for the rest. */
function lintOf(files: readonly string[]): Command[] {
	const published = files.filter((file) =>
		/^(nodes|credentials)\/.*\.ts$|^package\.json$/.test(file),
	);
	const others = files.filter(
		(file) =>
			/\.(ts|js|mjs)$/.test(file) && !published.includes(file) && file !== 'eslint.config.mjs',
	);
	const eslint = ['npx', 'eslint', '--max-warnings', '0'];
	return [
		...when(published, 'lint of the package', eslint),
		...when(others, 'lint', [...eslint, '--config', 'test/eslint.config.mjs']),
	];
}

function formattingOf(files: readonly string[]): Command[] {
	return when(files, 'formatting', ['npx', 'prettier', '--check', '--ignore-unknown']);
}

/** The pages are not imported by the tests that read them. */
function testsOf(files: readonly string[]): Command[] {
	const sources = files.filter((file) => file.endsWith('.ts'));
	const docs = join('test', 'package', 'docs');
	const ofPages = files.some((file) => file.endsWith('.md'))
		? readdirSync(docs).map((file) => join(docs, file))
		: [];
	const related = [...sources, ...ofPages];
	return when(related, 'tests', [...JEST, '--passWithNoTests', '--findRelatedTests']);
}

function when(files: readonly string[], title: string, words: readonly string[]): Command[] {
	return files.length === 0 ? [] : [{ title, words: [...words, ...files] }];
}

/** Ctrl-C reaches both. */
async function watch(): Promise<void> {
	await Promise.all([
		runShown([...TYPES.words, '--watch', '--preserveWatchOutput']),
		runShown([...JEST, '--watch']),
	]);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
