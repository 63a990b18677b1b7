import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instance } from './instances';

/** A new user folder with the packed package, as the setup installed it, for a test that needs an n8n of its own. */
export async function ownUserFolder({ userFolder }: Instance): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'call-verification-own-'));
	const nodes = join('.n8n', 'nodes');
	await cp(join(userFolder, nodes), join(folder, nodes), { recursive: true });
	return folder;
}
