import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Everything the package is built from. */
const PARTS = [
	'credentials',
	'gulpfile.js',
	'icons',
	'LICENSE',
	'nodes',
	'package.json',
	'README.md',
	'tsconfig.json',
];

/** Building and packing the same sources yields the same bytes, whoever does it. */
describe('the tarball', () => {
	const folders: string[] = [];

	afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

	/** Copies the sources, as if checked out at that time, and packs them. */
	const hashOf = (checkedOut: Date, umask: string): string => {
		const folder = mkdtempSync(join(tmpdir(), 'call-verification-pack-'));
		folders.push(folder);
		for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
		for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
			utimesSync(join(folder, file), checkedOut, checkedOut);
		}
		symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
		const command = `umask ${umask} && npm run --silent build >&2 && npm pack --json --silent`;
		const [{ integrity }] = JSON.parse(
			execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }),
		) as [{ integrity: string }];
		return integrity;
	};

	it('is the same from another checkout, at another time, by another user', () => {
		const one = hashOf(new Date('2024-02-29T12:00:00Z'), '022');
		const other = hashOf(new Date('2026-11-15T05:00:00Z'), '077');
		expect(one).toMatch(/^sha512-/);
		expect(other).toBe(one);
	}, 180_000);
});
