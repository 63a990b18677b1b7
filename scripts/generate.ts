/** Generates files from the operations and the contract: `npm run generate`. `--check` only lists what is outdated. */
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { generatedFiles, schemaFiles } from './generate/generatedFiles';
import { ROOT } from './generate/root';

const isCheck = process.argv.includes('--check');

async function main(): Promise<void> {
	const files = generatedFiles();
	const stale = schemaFiles().filter((file) => !files.has(file));
	if (!isCheck) stale.forEach((file) => rmSync(join(ROOT, file)));
	for (const [file, text] of files) {
		const path = join(ROOT, file);
		const content = await format(text, { ...(await resolveConfig(path)), filepath: path });
		if (content === readIfThere(path)) continue;
		stale.push(file);
		if (isCheck) continue;
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, content);
	}
	for (const file of stale) {
		console.log(isCheck ? `${file} is out of date: run npm run generate` : `wrote ${file}`);
	}
	if (isCheck && stale.length > 0) process.exitCode = 1;
}

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return undefined;
	}
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
