import { execFileSync } from 'node:child_process';

import { isThere, manifest, ROOT } from './project';

interface Packed {
	size: number;
	files: Array<{ path: string }>;
}

describe('the manifest', () => {
	it('has no runtime dependencies and one peer', () => {
		expect(manifest.dependencies).toBeUndefined();
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	it('pins every development dependency', () => {
		const loose = Object.entries(manifest.devDependencies).filter(
			([, version]) => !/^(?:npm:[^@]+@)?\d+\.\d+\.\d+$/.test(version),
		);
		expect(loose).toEqual([]);
	});

	it('is strict and points at files that the build makes', () => {
		expect(manifest.n8n.strict).toBe(true);
		const missing = [...manifest.n8n.nodes, ...manifest.n8n.credentials].filter(
			(file) => !isThere(file),
		);
		expect(missing).toEqual([]);
	});
});

describe('the tarball', () => {
	const [packed] = JSON.parse(
		execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], {
			cwd: ROOT,
			encoding: 'utf8',
		}),
	) as [Packed];
	const paths = packed.files.map(({ path }) => path);

	it('holds dist and what npm always adds, nothing else', () => {
		const others = paths.filter((path) => !path.startsWith('dist/')).sort();
		expect(others).toEqual(['LICENSE', 'README.md', 'package.json']);
	});

	it('holds code, icons, codex and schemas only', () => {
		expect(
			paths.filter((path) => path.startsWith('dist/') && !/\.(?:js|svg|json)$/.test(path)),
		).toEqual([]);
		expect(paths.filter((path) => /test|tsbuildinfo|\.map$|\.d\.ts$/.test(path))).toEqual([]);
	});

	it('holds the icons and the codex of every node', () => {
		expect(paths).toEqual(
			expect.arrayContaining([
				'dist/icons/callVerification.svg',
				'dist/icons/callVerification.dark.svg',
			]),
		);
		for (const node of manifest.n8n.nodes) expect(paths).toContain(node.replace(/\.js$/, '.json'));
	});

	it('weighs at most 120 kB', () => {
		expect(packed.size).toBeLessThanOrEqual(120_000);
	});
});
