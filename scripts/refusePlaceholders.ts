import { join } from 'node:path';

import { placeholdersLeft } from './release/adopted';
import { changelogGaps } from './release/changelogGaps';
import { statusGaps } from './release/statusGaps';
import { textFiles } from './release/textFiles';

/** Runs only when publishing: a package must not be published without an owner, or a version without its changes. */
const files = textFiles(join(__dirname, '..'));
const { version } = JSON.parse(files.get('package.json') ?? '{}') as { version: string };

const left = [
	...placeholdersLeft(files),
	...changelogGaps(files.get('CHANGELOG.md') ?? '', version),
	...statusGaps(files),
];
if (left.length > 0) {
	console.error(
		'Not published. "npm run adopt" fills in the owner; docs/maintainers/release.md has the rest.',
	);
	for (const sentence of left) console.error(`- ${sentence}`);
	process.exitCode = 1;
}
