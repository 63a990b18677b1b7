import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { WorkflowFile } from '../../test/real-n8n';

const imported = z.object({
	id: z.string(),
	/** n8n gives a workflow another with every change. */
	versionId: z.string(),
	/** Tells whether the example itself is still the same. */
	fingerprint: z.string(),
});
const importedByName = z.record(imported);

export type Imported = z.infer<typeof imported>;
export type ImportedByName = z.infer<typeof importedByName>;

export type NextStep = 'create' | 'update' | 'keep';

/**
 * What to do with an example at a start: `known` is what was imported at an earlier one, `versionId` what n8n has now. A
 * workflow that the user has changed is the user's.
 */
export function nextStep(
	known: Imported | undefined,
	versionId: string | undefined,
	fingerprint: string,
): NextStep {
	if (known === undefined || versionId === undefined) return 'create';
	return known.versionId === versionId && known.fingerprint !== fingerprint ? 'update' : 'keep';
}

export function fingerprintOf(file: WorkflowFile): string {
	return createHash('sha256').update(JSON.stringify(file)).digest('hex');
}

export async function readImported(userFolder: string): Promise<ImportedByName> {
	try {
		return importedByName.parse(JSON.parse(await readFile(fileIn(userFolder), 'utf8')));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
		throw error;
	}
}

export async function writeImported(userFolder: string, examples: ImportedByName): Promise<void> {
	await writeFile(fileIn(userFolder), JSON.stringify(examples, null, '\t'));
}

function fileIn(userFolder: string): string {
	return join(userFolder, 'examples.json');
}
