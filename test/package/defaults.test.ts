import type { INodeProperties } from 'n8n-workflow';

import { fieldSources } from '../../scripts/generate/rows';
import { pages } from './docs/pages';

const WORDS = [
	'zero',
	'one',
	'two',
	'three',
	'four',
	'five',
	'six',
	'seven',
	'eight',
	'nine',
	'ten',
];
const NUMBER = `(\\d[\\d,]*|${WORDS.join('|')})`;

/** “after 30 minutes by default”, “by default 3”, “the default is five”. */
const STATED = new RegExp(
	`\\b${NUMBER}(?: \\w+)? by default|by default,? (?:after )?${NUMBER}\\b|default (?:is|of) ${NUMBER}\\b`,
	'gi',
);

/** By label, without the unit. A label may belong to several operations. */
const defaults = new Map<string, Set<unknown>>();
for (const field of [...fieldSources.values()].flat().flatMap(withInner)) {
	const label = labelOf(field.displayName);
	defaults.set(label, (defaults.get(label) ?? new Set()).add(field.default));
}

function withInner(field: INodeProperties): INodeProperties[] {
	return field.type === 'collection' ? ((field.options ?? []) as INodeProperties[]) : [field];
}

function labelOf(displayName: string): string {
	return displayName.replace(/ \(.*\)$/, '');
}

/** The lines that give a number as a default without naming a field that has it; a setting in code is not ours. */
function wrongDefaults(text: string): string[] {
	return text.split('\n').filter((line) => {
		const known = [...line.matchAll(/\*\*(?:[^*]* → )?([^*]+)\*\*/g)].flatMap(([, label = '']) => [
			...(defaults.get(labelOf(label)) ?? []),
		]);
		return [...line.matchAll(STATED)].some((stated) => {
			const [, ...groups] = stated;
			const number = groups.find((group) => group !== undefined)?.toLowerCase() ?? '';
			const value = WORDS.includes(number)
				? WORDS.indexOf(number)
				: Number(number.replaceAll(',', ''));
			return (
				!known.includes(value) && !/`[A-Z\d_]{5,}`|`[^`]{0,20}$/.test(line.slice(0, stated.index))
			);
		});
	});
}

describe('a default in the prose', () => {
	it.each(pages.filter(({ path }) => path !== 'CHANGELOG.md'))('$path', ({ text }) => {
		expect(wrongDefaults(text)).toEqual([]);
	});
});
