import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');

export const isThere = (path: string) => existsSync(join(ROOT, path));

export const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The files of a folder and of those in it, by the end of their names. */
export const filesIn = (folder: string, ending: RegExp) =>
	readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => ending.test(file))
		.map((file) => join(folder, file));

/** The example workflows, each read in the given way. */
export const examplesAs = <T>(parse: (json: unknown) => T) =>
	filesIn('examples', /\.json$/).map((path) => ({
		file: path.slice('examples/'.length),
		...parse(JSON.parse(read(path))),
	}));

interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly license: string;
	readonly keywords: string[];
	readonly author: { readonly name: string; readonly email: string };
	readonly homepage: string;
	readonly repository: { readonly type: string; readonly url: string };
	readonly dependencies?: Record<string, string>;
	readonly devDependencies: Record<string, string>;
	readonly peerDependencies: Record<string, string>;
	readonly n8n: { strict: boolean; nodes: string[]; credentials: string[] };
	readonly scripts: Record<string, string>;
}

export const manifest = JSON.parse(read('package.json')) as Manifest;
