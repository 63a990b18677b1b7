import { dirname, join, normalize } from 'node:path';

import { isThere, manifest } from '../project';
import { pages, proseOf } from './pages';

/** Where a link by reference leads, at the end of a page: `[name]: address`. */
const DEFINITION = /^\[([^\]\n]+)\]: (\S+)$/gm;
/** A link by reference: `[name]`, or `[text][name]`. */
const REFERENCE = /\[([^\]\n]+)\](?:\[([^\]\n]+)\])?(?![([])/g;

const links = pages.flatMap(({ path, text }) => {
	const prose = proseOf(text);
	const targets = [
		...[...prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
		...[...prose.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(([, target = '']) => target),
		...[...prose.matchAll(DEFINITION)].map(([, , target = '']) => target),
	];
	return targets.map((target) => ({ page: path, target }));
});

/** As GitHub makes them: lower case, no punctuation, hyphens for spaces, a number for a duplicate. */
function anchorsOf(text: string): Set<string> {
	const anchors = new Set<string>();
	for (const [, heading = ''] of proseOf(text).matchAll(/^#{1,6} (.+)$/gm)) {
		const anchor = heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-');
		let unique = anchor;
		for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
		anchors.add(unique);
	}
	return anchors;
}

/** Files named in the prose; the contributing guide also names one that contributors write themselves. */
const named = pages.flatMap(({ path, text }) =>
	[...text.matchAll(/`((?:\.github|credentials|docs|examples|nodes|scripts|test)\/[\w./-]+)`/g)]
		.map(([, file = '']) => ({ page: path, file }))
		.filter(({ file }) => !file.endsWith('/getTariffs.ts')),
);

const isExternal = ({ target }: { target: string }) => /^[a-z]+:/i.test(target);
const external = links.filter(isExternal);
/** Wherever they stand: in a link, or in the list that links refer to. */
const raw = pages.flatMap(({ path, text }) =>
	[...text.matchAll(/https:\/\/raw\.[^\s)"`]+/g)].map(([target]) => ({ page: path, target })),
);
const internal = links.filter((link) => !isExternal(link));

describe('the links', () => {
	it.each(internal)('$page → $target exists', ({ page, target }) => {
		const [path = '', anchor] = target.split('#');
		const file = path === '' ? page : normalize(join(dirname(page), path));
		expect(isThere(file)).toBe(true);
		if (anchor === undefined) return;
		const text = pages.find((other) => other.path === file)?.text ?? '';
		expect([...anchorsOf(text)]).toContain(anchor);
	});

	it.each(pages)('by reference in $path have an address, and each address a link', ({ text }) => {
		const prose = proseOf(text);
		const defined = [...prose.matchAll(DEFINITION)].map(([, name = '']) => name);
		const body = prose.replace(DEFINITION, '');
		const used = [...body.matchAll(REFERENCE)].map(([, words = '', name = words]) => name);
		expect(used.filter((name) => !defined.includes(name))).toEqual([]);
		expect(defined.filter((name) => !used.includes(name))).toEqual([]);
	});

	it('in tables of users’ pages to other hosts are by reference, so that the table fits a screen', () => {
		const rows = pages
			.filter(({ path }) => !path.startsWith('docs/maintainers/'))
			.flatMap(({ path, text }) =>
				[...proseOf(text).matchAll(/^\|.*\]\(https:.*$/gm)].map(([row]) => `${path}: ${row}`),
			);
		expect(rows).toEqual([]);
	});

	it.each(external)('$page → $target is a secure address', ({ target }) => {
		expect(new URL(target).protocol).toBe('https:');
	});

	it.each(raw)(
		'$page → $target is an example of this repository, in this version',
		({ target }) => {
			const [owner, name, tag, ...path] = new URL(target).pathname.slice(1).split('/');
			expect(manifest.repository.url).toBe(`git+https://github.com/${owner}/${name}.git`);
			// The version that readers have installed, or will. `npm run generate` writes it.
			expect(tag).toBe(`v${manifest.version}`);
			expect(isThere(join(...path))).toBe(true);
		},
	);

	it.each(named)('$page: $file exists', ({ file }) => {
		expect(isThere(file)).toBe(true);
	});

	it('lead to every page of the documentation', () => {
		const reached = new Set(
			internal.map(({ page, target }) =>
				normalize(join(dirname(page), target.split('#')[0] ?? '')),
			),
		);
		const unreached = pages.filter(
			({ path }) => path.startsWith('docs/') && path !== 'docs/README.md' && !reached.has(path),
		);
		expect(unreached.map(({ path }) => path)).toEqual([]);
	});
});
