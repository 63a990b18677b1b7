import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** Tests in n8n's engine run what is in `dist`: without a build, they would test the code of yesterday. */
export default function checkDist(): void {
	const newer = newerThanBuilt(ROOT);
	if (newer !== undefined) throw new Error(`dist is older than ${newer}: run npm run build`);
}

/** A source that was changed after the build. */
function newerThanBuilt(root: string): string | undefined {
	const builtAt = changedAt(
		join(root, 'dist', 'nodes', 'CallVerification', 'CallVerification.node.js'),
	);
	return ['nodes', 'credentials']
		.flatMap((folder) =>
			readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)),
		)
		.find((file) => changedAt(join(root, file)) > builtAt);
}

function changedAt(file: string): number {
	return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
