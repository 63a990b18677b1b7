import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Execution, type N8nClient, waitUntil } from '../../harness';

export interface StoredExecution extends Execution {
	/** Everything that n8n returns of it. */
	readonly text: string;
}

/** The executions of a workflow once `count` of them are stored and all have ended. */
export async function storedExecutions(
	{ executions, session }: N8nClient,
	workflowId: string,
	count: number,
): Promise<StoredExecution[]> {
	let seen: Array<{ id: string; status: string }> = [];
	await waitUntil(
		async () => {
			seen = await executions.list(workflowId);
			const isOver = seen.every(({ status }) => !['new', 'running'].includes(status));
			return (isOver && seen.length === count) || undefined;
		},
		{
			what: `${count} executions have ended`,
			seen: () => seen.map(({ status }) => status).join(', '),
		},
	);
	return await Promise.all(
		seen.map(async ({ id }) => ({
			...(await executions.wait(id)),
			text: JSON.stringify(await session.get(`/executions/${id}`, z.unknown())),
		})),
	);
}

/** Those of the secrets, by name, that are anywhere in what n8n returns of the executions. */
export function secretsIn(
	executions: readonly StoredExecution[],
	secrets: Readonly<Record<string, string>>,
): string[] {
	return Object.entries(secrets).flatMap(([name, secret]) =>
		executions.some(({ text }) => text.includes(secret)) ? [name] : [],
	);
}

/** The nodes in whose stored output the text is, in order. */
export function nodesThatStore(executions: readonly StoredExecution[], text: string): string[] {
	const names = executions.flatMap(({ nodes }) =>
		Object.entries(nodes).flatMap(([name, runs]) =>
			JSON.stringify(runs.map(({ outputs }) => outputs)).includes(text) ? [name] : [],
		),
	);
	return [...new Set(names)].sort();
}

/** Everything in n8n's folder but the package itself: database, event log, settings. */
export async function storedFiles(userFolder: string): Promise<Buffer[]> {
	const entries = await readdir(join(userFolder, '.n8n'), {
		recursive: true,
		withFileTypes: true,
	});
	const files = entries.filter(
		(entry) => entry.isFile() && !entry.parentPath.includes('node_modules'),
	);
	const read = await Promise.all(
		files.map(async ({ parentPath, name }) => await readUnlessGone(join(parentPath, name))),
	);
	return read.filter((file) => file !== undefined);
}

/** SQLite removes its journal at the end of each transaction, also between a listing and a reading. */
async function readUnlessGone(path: string): Promise<Buffer | undefined> {
	try {
		return await readFile(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}
