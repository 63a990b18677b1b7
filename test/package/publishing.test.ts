import { spawnSync } from 'node:child_process';

import { ownerPlaceholders } from '../../scripts/release/ownerPlaceholders';
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
	it('fails with one line for each detail that is missing, and only then', () => {
		const missing = ownerPlaceholders(manifest).map((sentence) => `- ${sentence}`);
		const { status, stderr } = spawnSync(
			process.execPath,
			['-r', './scripts/typescript.js', 'scripts/refusePlaceholders.ts'],
			{ cwd: ROOT, encoding: 'utf8' },
		);
		expect(stderr.split('\n').filter((line) => line.startsWith('- '))).toEqual(missing);
		expect(status).toBe(missing.length > 0 ? 1 : 0);
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
	const workflow = read('.github/workflows/publish.yml');

	it('is started by a version tag, and signs in with the identity of its run: no stored token', () => {
		expect(workflow).toMatch(/^on:\n {2}push:\n {4}tags: \['v\*'\]$/m);
		expect(workflow).toMatch(/^ {2}id-token: write$/m);
		expect(workflow).not.toMatch(/secrets\.|_TOKEN|registry/i);
	});

	it('compares the tag with the version, requires an owner, tests, and only then publishes with provenance', () => {
		const steps = [...workflow.matchAll(/run: (.+)$/gm)].map(([, command]) => command);
		expect(steps).toEqual([
			expect.stringMatching(/^test "v\$\(.+version.+\)" = "\$GITHUB_REF_NAME"$/),
			'npm ci',
			'node -r ./scripts/typescript.js scripts/refusePlaceholders.ts',
			'npm test',
			'npm publish --provenance --access public',
		]);
	});
});
