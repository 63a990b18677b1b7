import { changelogGaps, placeholdersLeft, statusGaps } from './publishing';
import { ROOT, textFiles } from './project';

/** Runs only when publishing: a package must not be published without an owner, or a version without its changes. */
const files = textFiles(ROOT);
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
