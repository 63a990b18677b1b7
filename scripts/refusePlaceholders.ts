import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ownerPlaceholders } from './release/ownerPlaceholders';

/** Runs only when publishing: a package must not be published without an owner. */
const manifest = JSON.parse(
	readFileSync(join(__dirname, '..', 'package.json'), 'utf8'),
) as Parameters<typeof ownerPlaceholders>[0];

const left = ownerPlaceholders(manifest);
if (left.length > 0) {
	console.error('Not published: package.json does not name its owner yet (see CONTRIBUTING.md).');
	for (const sentence of left) console.error(`- ${sentence}`);
	process.exitCode = 1;
}
