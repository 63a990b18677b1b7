import { spawnSync } from 'node:child_process';

import { parse } from 'yaml';
import { z } from 'zod';

import {
	changelogGaps,
	ownerPlaceholders,
	placeholdersLeft,
	statusGaps,
} from '../../scripts/publishing';
import { textFiles } from '../../scripts/project';
import { filesIn, manifest, read, ROOT } from './project';

const address = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

describe('the owner’s details', () => {
	const name = 'n8n-nodes-some';

	it.each([
		[[], 'ann@example.com', 'Ann Example', `git+https://github.com/ann/${name}.git`],
		[
			['author.name', 'author.email', 'repository.url'],
			`maintainers@${name}.invalid`,
			`${name} contributors`,
			`git+https://github.com/${name}/${name}.git`,
		],
		[['author.name', 'author.email', 'repository.url'], ' ', '', ''],
	])('that are missing are %j, with %s', (missing, email, author, url) => {
		const found = ownerPlaceholders({ name, author: { name: author, email }, repository: { url } });
		expect(found.map((sentence) => sentence.split(':')[0])).toEqual(missing);
	});
});

describe('the script of the publish workflow', () => {
	it('fails with one line for everything that is missing, in any file, and only then', () => {
		const files = textFiles(ROOT);
		const missing = [
			...placeholdersLeft(files),
			...changelogGaps(read('CHANGELOG.md'), manifest.version),
			...statusGaps(files),
		].map((sentence) => `- ${sentence}`);
		const { status, stderr } = spawnSync(
			process.execPath,
			['-r', './scripts/typescript.js', 'scripts/refusePlaceholders.ts'],
			{ cwd: ROOT, encoding: 'utf8' },
		);
		expect(stderr.split('\n').filter((line) => line.startsWith('- '))).toEqual(missing);
		expect(status).toBe(missing.length > 0 ? 1 : 0);
	});
});

describe('a page that says that the version is not published yet', () => {
	it('is named, because it would be published with it', () => {
		const pages = { 'README.md': '1.0.0 is not published yet: wait.', 'SECURITY.md': 'Reports.' };
		expect(statusGaps(new Map(Object.entries(pages)))).toEqual([
			'README.md: remove that the version is not published yet.',
		]);
	});
});

describe('the repository', () => {
	const files = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].concat(
		['docs', 'nodes', 'credentials', '.github', 'examples'].flatMap((folder) =>
			filesIn(folder, /\.(?:md|json|ts|yml)$/),
		),
	);

	it('is a public one on GitHub', () => {
		expect(manifest.repository).toEqual({ type: 'git', url: `git+${address}.git` });
		expect(address).toMatch(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/);
		expect(manifest.homepage).toBe(`${address}#readme`);
	});

	it('has the address of package.json wherever it is named', () => {
		const stale = files.filter((file) =>
			[...read(file).matchAll(/https:\/\/github\.com\/[\w.-]+\/n8n-nodes-[\w-]+/g)].some(
				([named]) => named !== address,
			),
		);
		expect(stale).toEqual([]);
	});
});

describe('the publish workflow', () => {
	const source = read('.github/workflows/publish.yml');
	const { on, permissions, jobs } = z
		.object({
			on: z.unknown(),
			permissions: z.record(z.string()),
			jobs: z.record(
				z.object({
					needs: z.string().optional(),
					permissions: z.record(z.string()).optional(),
					steps: z.array(z.object({ run: z.string().optional() })),
				}),
			),
		})
		.parse(parse(source));
	const commandsOf = (job: string) => jobs[job]?.steps.flatMap(({ run }) => run ?? []);

	it('is started by a version tag, and only its last job has an identity to sign in with', () => {
		expect(on).toEqual({ push: { tags: ['v*'] } });
		expect(permissions).toEqual({ contents: 'read' });
		expect(jobs.test?.permissions).toBeUndefined();
		expect(jobs.publish?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
	});

	it('compares the tag with the version, requires an owner, and runs all tests, those in real n8ns, too', () => {
		expect(commandsOf('test')).toEqual([
			expect.stringMatching(/^test "v\$\(.+version.+\)" = "\$GITHUB_REF_NAME"$/),
			'npm ci',
			'node -r ./scripts/typescript.js scripts/refusePlaceholders.ts',
			expect.stringContaining('apt-get install'),
			// Without an argument: npm test, then faults, e2e and queue.
			// The suites that take minutes run in both lines of n8n.
			expect.stringMatching(/^E2E_LINE=both bash \.ci\/run \|.*\n! grep .*skipped/),
		]);
		expect(read('.ci/run')).toMatch(/npm run test:faults.*npm run test:queue.*npm run test:e2e/s);
	});

	it('then stages the package with provenance, for a maintainer to approve', () => {
		expect(Object.keys(jobs)).toEqual(['test', 'publish']);
		expect(jobs.publish?.needs).toBe('test');
		expect(commandsOf('publish')).toEqual([
			'npm ci',
			// npm runs no script of a package here: ignore-scripts in .npmrc.
			'npm run build',
			expect.stringMatching(/^if \[ -n "\$NPM_TOKEN" \]; then npm config set .+; fi$/),
			'npm stage publish --provenance --access public',
		]);
	});

	it('has a secret for the first release only, and not where npm would prefer it to the identity', () => {
		expect(source.match(/secrets\.\w+/g)).toEqual(['secrets.NPM_TOKEN']);
		expect(source).not.toMatch(/registry-url:|NODE_AUTH_TOKEN/);
	});
});
