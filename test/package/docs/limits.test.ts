import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { isGuard } from '../../../nodes/CallVerification/run/options';
import { fieldSources } from '../../../scripts/generate/rows';
import { examplesAs, read } from '../project';
import { rowsOf } from './pages';

const PAGE = 'docs/limits.md';
const rows = rowsOf(read(PAGE));

/** Options that an expression must not leave empty, but that limit nothing. */
const LIMIT_NOTHING = ['defaultCountryCode', 'earlierResults', 'hideCode', 'knownNumbers'];

const fields = [...fieldSources.values()].flat();
const options = fields.flatMap(({ type, options: inner = [] }) =>
	type === 'collection' ? inner.flatMap((option) => ('type' in option ? [option] : [])) : [],
);
/** Every number says how often or how long something may happen, and every other guard whether it may. */
const limits = [
	...fields.filter(({ type }) => type === 'number'),
	...options.filter(({ type, name }) => type === 'number' || isGuard(name)),
]
	.filter(({ name }) => !LIMIT_NOTHING.includes(name))
	.map((field) => ({ label: field.displayName.replace(/ \(\w+\)$/, ''), value: defaultOf(field) }));

/** As the page writes it; undefined if that is a word for “none”. */
function defaultOf({ type, default: value }: INodeProperties): string | undefined {
	if (type === 'boolean') return value === true ? 'on' : 'off';
	return type === 'number' ? JSON.stringify(value) : undefined;
}

const settingsOf = z
	.object({
		nodes: z.array(
			z.object({
				name: z.string(),
				parameters: z.object({
					assignments: z
						.object({
							assignments: z.array(z.object({ name: z.string(), value: z.unknown() })),
						})
						.optional(),
				}),
			}),
		),
	})
	.transform(({ nodes }) => ({
		settings: nodes
			.filter(({ name }) => name === 'Settings')
			.flatMap(({ parameters: { assignments } }) => assignments?.assignments ?? []),
	}));
const examples = examplesAs((json) => settingsOf.parse(json));

/** `busyMinutes` of check-list-form */
const SETTING = /^`(\w+)` of ([\w-]+)$/;
const shownSettings = rows.flatMap(([what = '', value = '']) => {
	const [, name, example] = SETTING.exec(what) ?? [];
	return name === undefined ? [] : [{ name, example, value }];
});

describe(`the limits in ${PAGE}`, () => {
	it('include every option that limits something, with its default', () => {
		const problems = limits.flatMap(({ label, value }) => {
			const row = rows.find(([name]) => name === label);
			if (row === undefined) return [`add a row for “${label}”`];
			const shown = /^[\w.]+/.exec(row[1] ?? '')?.[0];
			return value === undefined || shown === value
				? []
				: [`the default of “${label}” is ${value}, not ${shown}`];
		});
		expect(limits.length).toBeGreaterThan(20);
		expect(problems).toEqual([]);
	});

	it('of the examples have the values of their Settings', () => {
		const problems = shownSettings.flatMap(({ name, example, value }) => {
			const found = examples.find(({ file }) => file === `${example}.json`);
			const setting = found?.settings.find((one) => one.name === name);
			return String(setting?.value) === value
				? []
				: [`\`${name}\` of ${example} is ${String(setting?.value)}, not ${value}`];
		});
		expect(shownSettings.length).toBeGreaterThan(5);
		expect(problems).toEqual([]);
	});
});
