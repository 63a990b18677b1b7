import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { npm } from './npm';

const packed = z.array(z.object({ filename: z.string() })).nonempty();

/** Packs an already built package as it would be published, and returns the path of the tarball. */
export async function packPackage(projectFolder: string, intoFolder: string): Promise<string> {
	await mkdir(intoFolder, { recursive: true });
	const answer = await npm(
		['pack', '--json', '--ignore-scripts', '--pack-destination', intoFolder],
		{ cwd: projectFolder },
	);
	const [{ filename }] = packed.parse(JSON.parse(answer));
	return join(intoFolder, filename);
}
