import { homedir } from 'node:os';
import { join } from 'node:path';

/** Keeps Node and n8n between runs, outside the checkout, so that a fresh clone can use them. */
export function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return join(base, 'n8n-nodes-call-verification');
}
