import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { slugOf } from '../release/repository';
import { ROOT } from './root';

const ANY_EXAMPLE = /https:\/\/raw\.githubusercontent\.com\/[^/\s]+\/[^/\s]+\/[^/\s]+\/examples\//g;

/** To the examples of this version: those on the main branch may need a package that is not released yet. */
export function withExampleLinks(page: string): string {
	const { version, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
		version: string;
		repository: { url: string };
	};
	return page.replaceAll(
		ANY_EXAMPLE,
		`https://raw.githubusercontent.com/${slugOf(repository.url)}/v${version}/examples/`,
	);
}
