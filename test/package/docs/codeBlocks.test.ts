import { join } from 'node:path';

import type { CodeBlock } from './pages';
import { codeBlocks, pages } from './pages';
import { isThere, manifest } from '../project';

const HERE = 'test/package/docs/codeBlocks.test.ts';

/**
 * The test that runs a block. A block that no test runs could be wrong unnoticed, so it fails here:
 * give it a note, or teach a test its language.
 */
function testOf({ page, language, note }: CodeBlock): string | undefined {
	switch (language) {
		case 'sh':
		case 'mermaid':
		case '':
			return HERE;
		case 'yaml':
			return 'test/package/docs/installing.test.ts';
		case 'ts':
			return page === 'CONTRIBUTING.md' ? 'test/core/contributing.test.ts' : undefined;
		case 'expression':
			return note.startsWith('expression ') ? 'test/core/docs.test.ts' : undefined;
		case 'json':
			if (note.startsWith('run ')) return 'test/core/docs.test.ts';
			return note.startsWith('shape ') ? 'test/package/docs/outputTables.test.ts' : undefined;
		case 'html':
			return 'test/e2e/browserLogin.test.ts';
		case 'js':
		case 'php':
		case 'bash':
			return page === 'docs/login-page.md' ? 'test/e2e/loginServers.test.ts' : undefined;
		// Text copied from a screen.
		case 'text':
			return HERE;
		default:
			return undefined;
	}
}

const written = (language: string) => codeBlocks.filter((block) => block.language === language);

/** Readers can run only what is in the project. */
function isKnownCommand(command: string): boolean {
	const [program, ...words] = command
		.trim()
		.split(/\s+/)
		.filter((word) => !/^[A-Z_]+=/.test(word));
	const [first = '', second = ''] = words;
	switch (program) {
		case 'npm':
			if (['ci', 'pack'].includes(first)) return isThere('package-lock.json');
			return (first === 'run' ? second : first) in manifest.scripts;
		case 'npx':
			return isThere(join('node_modules', '.bin', first));
		case 'node':
		case 'bash':
			return isThere(first);
		case 'git':
			return first === 'clone' && manifest.repository.url === `git+${second}.git`;
		case 'cd':
			return first === manifest.name;
		case 'docker':
			return ['run', 'cp', 'exec', 'restart'].includes(first);
		default:
			return false;
	}
}

describe('the code blocks', () => {
	it('are all run by a test that exists', () => {
		expect(new Set(codeBlocks.map(({ language }) => language)).size).toBeGreaterThan(4);
		const idle = codeBlocks.filter((block) => !isThere(testOf(block) ?? 'none'));
		expect(idle.map(({ page, language, code }) => `${page}: ${language} ${code}`)).toEqual([]);
	});
	it.each(written('sh'))('in $page hold commands of this project: $code', ({ code }) => {
		const commands = code
			.split('\n')
			.map((line) => line.replace(/#.*/, ''))
			.flatMap((line) => line.split('&&'))
			.filter((command) => command.trim() !== '');
		expect(commands.filter((command) => !isKnownCommand(command))).toEqual([]);
	});

	it('and the prose name npm scripts that exist', () => {
		const named = pages
			.filter(({ path }) => path !== 'CHANGELOG.md')
			.flatMap(({ path, text }) =>
				[...text.matchAll(/`(npm run [\w:]+|npm (?:start|test)|node scripts\/[\w.]+)[^`]*`/g)].map(
					([, command = '']) => ({ path, command }),
				),
			);
		expect(named.length).toBeGreaterThan(0);
		expect(named.filter(({ command }) => !isKnownCommand(command))).toEqual([]);
	});

	it.each(written(''))('show folders and files that exist ($page)', ({ code }) => {
		let folder = '';
		const paths = code
			.trimEnd()
			.split('\n')
			.map((line) => {
				const [name = ''] = line.trim().split(/\s/);
				// An indented entry is in the folder above it.
				if (!line.startsWith(' ')) folder = name;
				return line.startsWith(' ') ? join(folder, name) : name;
			});
		expect(paths.filter((path) => !isThere(path))).toEqual([]);
	});
});
