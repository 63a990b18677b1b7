import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

export const CLAIMS = 'docs/maintainers/claims.json';

/** A test that proves something. Its title may be a part of the full one, or that of a table of tests. */
export interface Citation {
	readonly file: string;
	readonly title: string;
}

/** A sentence of a page, and the tests that prove it. */
export interface Claim {
	readonly page: string;
	/** The first words of the sentence, as readers see them: without links, bold and code. */
	readonly quote: string;
	readonly tests: readonly Citation[];
}

/** By page, quote and test file: the titles. */
const stored = z.record(z.record(z.record(z.array(z.string()))));

/** What the documentation claims, with its tests. */
export function claims(): Claim[] {
	const json: unknown = JSON.parse(readFileSync(join(__dirname, '..', '..', CLAIMS), 'utf8'));
	return Object.entries(stored.parse(json)).flatMap(([page, quotes]) =>
		Object.entries(quotes).map(([quote, files]) => ({
			page,
			quote,
			tests: Object.entries(files).flatMap(([file, titles]) =>
				titles.map((title) => ({ file, title })),
			),
		})),
	);
}

/** @param titlesOf The full titles of the tests in a file that was run, or undefined. */
export function citationProblems(
	all: readonly Claim[],
	titlesOf: (file: string) => readonly string[] | undefined,
): string[] {
	const wasNotRun = ({ file, title }: Citation) =>
		titlesOf(file)?.every((full) => !patternOf(title).test(full)) ?? false;
	return all.flatMap(({ page, quote, tests }) =>
		tests
			.filter(wasNotRun)
			.map(
				({ file, title }) =>
					`${file} has no test “${title}”, which ${CLAIMS} names for “${quote}” in ${page}: correct the title there`,
			),
	);
}

/** In the title of a table's tests, each placeholder stands for a value. */
function patternOf(title: string): RegExp {
	const literal = title.split(/%[a-z]|\$[\w.]+/).map((part) => part.replace(/\W/g, '\\$&'));
	return new RegExp(literal.join('.*'), 's');
}
