import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Workflow, WorkflowFile } from '../../harness';

const imported = z.object({
	id: z.string(),
	/** Fingerprint of the workflow as n8n stored it: shows whether the user has changed it. */
	stored: z.string(),
	/** Fingerprint of the example: shows whether the package has a new version of it. */
	example: z.string(),
});
const importedByName = z.record(imported);

export type Imported = z.infer<typeof imported>;
export type ImportedByName = z.infer<typeof importedByName>;

type NextStep = 'create' | 'update' | 'keep';

/**
 * What to do with an example at a start: `known` was imported at an earlier start, `stored` is what n8n has now. A
 * workflow that the user has changed belongs to the user.
 */
export function nextStep(
	known: Imported | undefined,
	stored: string | undefined,
	example: string,
): NextStep {
	if (known === undefined || stored === undefined) return 'create';
	return known.stored === stored && known.example !== example ? 'update' : 'keep';
}

/** Covers everything that a user can change. n8n's own version ID ignores the name and the settings. */
export function fingerprintOf({
	name,
	nodes,
	connections,
	settings,
}: Workflow | WorkflowFile): string {
	const content = JSON.stringify([name, nodes, connections, settings]);
	return createHash('sha256').update(content).digest('hex');
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
	// Atomic, because an incomplete file would make every later start fail.
	const partial = `${fileIn(userFolder)}.partial`;
	await writeFile(partial, JSON.stringify(examples, null, '\t'));
	await rename(partial, fileIn(userFolder));
}

function fileIn(userFolder: string): string {
	return join(userFolder, 'examples.json');
}
