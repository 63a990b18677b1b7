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

/** A build takes seconds, and minutes on a busy machine. */
const LIMIT = 900_000;

/** Building and packing the same sources yields the same bytes, whoever does it. */
describe('the tarball', () => {
	let folder: string;

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	const integrityOf = (cwd: string, before = ''): string => {
		const command = `${before}npm pack --dry-run --json --silent`;
		const [{ integrity }] = JSON.parse(
			execFileSync('sh', ['-c', command], { cwd, encoding: 'utf8', stdio: 'pipe' }),
		) as [{ integrity: string }];
		return integrity;
	};

	/** Copies the sources, as if checked out at that time, and builds and packs them. */
	const builtElsewhere = (checkedOut: Date, umask: string): string => {
		folder = mkdtempSync(join(tmpdir(), 'call-verification-pack-'));
		for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
		for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
			utimesSync(join(folder, file), checkedOut, checkedOut);
		}
		symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
		return integrityOf(folder, `umask ${umask} && npm run --silent build >&2 && `);
	};

	it(
		'is what “npm run build” has made here, from another checkout, at another time, by another user',
		() => {
			const here = integrityOf(ROOT);
			expect(here).toMatch(/^sha512-/);
			expect(builtElsewhere(new Date('2024-02-29T12:00:00Z'), '077')).toBe(here);
		},
		LIMIT,
	);
});
