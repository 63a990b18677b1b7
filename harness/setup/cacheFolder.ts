import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where Node and n8n are kept between runs: outside the checkout, so that a fresh clone finds them again. */
export function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return join(base, 'n8n-nodes-call-verification');
}
