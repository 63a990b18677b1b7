import { execFileSync, spawnSync } from 'node:child_process';
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { adopted, changelogGaps, ownerFromFlags } from '../../scripts/publishing';
import { git, textFiles } from '../../scripts/project';
import { manifest, ROOT } from './project';

const OWNER = ['--owner', 'Ann & Daughters $1', '--email', 'ann@phone-checks.dev'];
const REPOSITORY = 'ann-and-daughters/n8n-nodes-call-verification';
const FLAGS = [...OWNER, '--repository', `https://github.com/${REPOSITORY}`];

describe('npm run adopt', () => {
	let copy = '';

	const run = (script: string, ...args: string[]) => {
		const command = ['-r', './scripts/typescript.js', `scripts/${script}.ts`, ...args];
		const { status, stdout, stderr } = spawnSync(process.execPath, command, {
			cwd: copy,
			encoding: 'utf8',
		});
		return { status, said: `${stdout}${stderr}` };
	};
	const read = (file: string) => readFileSync(join(copy, file), 'utf8');
	const status = () => git(copy, 'status', '--short');

	/** A copy of the project as it is now, with a commit of its own to go back to. */
	beforeAll(() => {
		copy = mkdtempSync(join(tmpdir(), 'adopted-'));
		const listed = git(ROOT, 'ls-files', '--cached', '--others', '--exclude-standard', '-z');
		// A file may be deleted in the working tree only.
		const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
		for (const file of files) {
			cpSync(join(ROOT, file), join(copy, file), { force: true });
		}
		symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
		git(copy, 'init', '--quiet');
		writeFileSync(join(copy, '.git/info/exclude'), 'node_modules\n');
		git(copy, 'add', '--all');
		const author = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
		execFileSync('git', [...author, 'commit', '--quiet', '--message', 'as it was'], { cwd: copy });
	});
	afterAll(() => rmSync(copy, { recursive: true, force: true }));

	it('changes nothing if a placeholder would be left', () => {
		const file = join(copy, 'docs/new.md');
		writeFileSync(file, `By ${manifest.name} contributors.\n`);
		const { status: code, said } = run('adopt', ...FLAGS);
		rmSync(file);
		expect([code, said]).toEqual([
			1,
			`Nothing was changed, because this would be left:\n- docs/new.md: replace “${manifest.name} contributors”.\n`,
		]);
		expect(status()).toBe('');
	});

	it('does not mix with changes that are not committed, which git would undo, too', () => {
		appendFileSync(join(copy, 'README.md'), '\nUnfinished.\n');
		const { status: code, said } = run('adopt', ...FLAGS);
		const after = status();
		git(copy, 'checkout', '--quiet', '.');
		expect([code, said]).toEqual([
			1,
			expect.stringMatching(/^Nothing was changed\. Commit .*\n M README\.md/s),
		]);
		expect(after).toBe(' M README.md\n');
	});

	it('puts the owner everywhere, and leaves no placeholder', () => {
		const { said, status: code } = run('adopt', ...FLAGS);
		expect([code, said]).toEqual([0, expect.stringContaining('The owner is now Ann & Daughters')]);

		const { name } = manifest;
		const isLeft = new RegExp(`${name} contributors|@${name}\\.invalid|${name}/${name}`);
		const left = [...textFiles(copy)].filter(([, text]) => isLeft.test(text));
		expect(left.map(([path]) => path)).toEqual([]);

		expect(JSON.parse(read('package.json'))).toEqual({
			...manifest,
			author: { name: 'Ann & Daughters $1', email: 'ann@phone-checks.dev' },
			homepage: `https://github.com/${REPOSITORY}#readme`,
			repository: { type: 'git', url: `git+https://github.com/${REPOSITORY}.git` },
		});
		expect(read('LICENSE')).toContain('Copyright (c) 2026 Ann & Daughters $1\n');
		expect(read('SECURITY.md')).toContain(`https://github.com/${REPOSITORY}/security/advisories`);
		expect(read('SECURITY.md')).toContain('write to ann@phone-checks.dev.');
		expect(read('README.md')).toContain(`githubusercontent.com/${REPOSITORY}/v`);
		expect(read('nodes/CallVerification/CallVerification.node.json')).toContain(REPOSITORY);
		expect(read('credentials/CallVerificationApi.credentials.ts')).toContain(REPOSITORY);
		expect(read('.github/ISSUE_TEMPLATE/config.yml')).toContain(REPOSITORY);
	});

	it('leaves the pages as npm run generate and the publish workflow want them', () => {
		expect(run('generate', '--check')).toEqual({ status: 0, said: '' });
		const left = run('refusePlaceholders').said.split('\n- ').slice(1);
		expect(left.filter((sentence) => !/^CHANGELOG\.md|published yet/.test(sentence))).toEqual([]);
	});

	it('changes nothing when it is run again, and is undone by git', () => {
		const before = git(copy, 'diff');
		expect(run('adopt', ...FLAGS).said).toMatch(/^Nothing to change: the owner is Ann/);
		expect(git(copy, 'diff')).toBe(before);
		git(copy, 'checkout', '--quiet', '.');
		expect(status()).toBe('');
	});
});

describe('a package that has an owner', () => {
	const repository = { url: 'git+https://github.com/may/checks.git' };
	const files = (author: object, url: string, page: string) =>
		new Map([
			[
				'package.json',
				`${JSON.stringify({ name: 'checks', author, repository: { url } }, null, '\t')}\n`,
			],
			['README.md', page],
		]);

	it('can get another, whose name and address do not change other words', () => {
		const before = files(
			{ name: 'May', email: 'may@phone-checks.dev' },
			repository.url,
			'May be: https://github.com/may/checks/issues, github.com/may/checks-2, github.com/may/checks.js, may/checks.',
		);
		const owner = { name: 'Ann', email: 'ann@phone-checks.dev', repository: 'ann/calls' };
		expect(adopted(before, owner)).toEqual(
			files(
				{ name: 'Ann', email: 'ann@phone-checks.dev' },
				'git+https://github.com/ann/calls.git',
				'May be: https://github.com/ann/calls/issues, github.com/may/checks-2, github.com/may/checks.js, may/checks.',
			),
		);
	});
});

describe('what it is told', () => {
	const flags = (owner: string, email: string, repository: string) =>
		Object.entries({ owner, email, repository }).flatMap(([name, value]) => [`--${name}`, value]);
	const problemsOf = (argv: string[]) => {
		try {
			ownerFromFlags(argv);
		} catch (error) {
			return String(error).split('\n\nUsage: ')[0]?.replace('Error: ', '').split('\n');
		}
		return [];
	};

	it.each([
		'ann/n8n-nodes-call-verification',
		'https://github.com/ann/n8n-nodes-call-verification',
		'https://github.com/ann/n8n-nodes-call-verification.git',
		'https://github.com/ann/n8n-nodes-call-verification/',
		'git+https://github.com/ann/n8n-nodes-call-verification.git',
		'git@github.com:ann/n8n-nodes-call-verification.git',
	])('a repository may be written as %s', (repository) => {
		expect(ownerFromFlags(flags(' Ann ', ' ann@phone-checks.dev ', repository))).toEqual({
			name: 'Ann',
			email: 'ann@phone-checks.dev',
			repository: 'ann/n8n-nodes-call-verification',
		});
	});

	it.each([
		[[], ['--owner is missing.', '--email is missing.', '--repository is missing.']],
		[flags('A\nB', 'a@b.dev', 'a/b'), ['--owner must be one line, without < and >, not “A', 'B”.']],
		[flags('A <a>', 'a@b.dev', 'a/b'), ['--owner must be one line, without < and >, not “A <a>”.']],
		[
			flags('Ann', 'ann', 'ann'),
			[
				'--email must be one address, such as ann@your-domain.org, not “ann”.',
				'--repository must be a repository on GitHub, such as your-name/n8n-nodes-call-verification, not “ann”.',
			],
		],
		[
			flags('Ann', 'ann@example.com', 'https://gitlab.com/ann/nodes'),
			[
				'--email must be an address at which you can be reached, not “ann@example.com”.',
				'--repository must be a repository on GitHub, such as your-name/n8n-nodes-call-verification, not “https://gitlab.com/ann/nodes”.',
			],
		],
		[['--name', 'Ann'], [expect.stringMatching(/Unknown option '--name'/)]],
	])('%j is answered with all that is wrong', (argv, problems) => {
		expect(problemsOf(argv)).toEqual(problems);
	});
});

describe('the changelog of a release', () => {
	it.each([
		['## 1.2.0 - 2026-12-01\n', []],
		['## Unreleased\n\n- x\n\n## 1.1.0 - 2026-12-01\n', ['Unreleased', '1.2.0']],
		['## 1.2.0\n', ['1.2.0']],
		['## 1.2.0 - soon\n', ['1.2.0']],
		['## 1.2.0 - 2026-12-01\n\n## Unreleased\n', ['Unreleased']],
	])('with %j lacks %j', (changelog, missing) => {
		const found = changelogGaps(changelog, '1.2.0');
		expect(
			found.map((sentence) => (/“Unreleased”/.exec(sentence) ? 'Unreleased' : '1.2.0')),
		).toEqual(missing);
	});
});
