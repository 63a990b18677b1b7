import { join } from 'node:path';
import type { N8nRelease } from './n8nLine';

/** The package.json of the folder where an n8n is installed. */
export function manifestOf({ version, overrides }: N8nRelease): string {
	return JSON.stringify({ private: true, overrides, dependencies: { n8n: version } });
}

/** Written by `npm run lock:n8n`. */
export function lockFileOf({ version }: Pick<N8nRelease, 'version'>): string {
	return join(__dirname, 'locks', `${version}.json`);
}
