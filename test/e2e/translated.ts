import { z } from 'zod';

import { type WorkflowFile, withParameters } from '../../harness';

const texts = z.object({
	assignments: z.object({
		assignments: z.array(
			z.object({ id: z.string(), name: z.string(), value: z.string(), type: z.string() }),
		),
	}),
});

const labelled = z.object({
	formFields: z.object({
		values: z.array(
			z.object({ fieldLabel: z.string() }).catchall(z.union([z.string(), z.boolean()])),
		),
	}),
});

const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщ';
const KEPT = /(\{\w+\}|<[^>]+>)/;

/** The example after somebody has translated all of its texts, into words that nobody else uses. */
export function translated(file: WorkflowFile): WorkflowFile {
	const node = file.nodes.find(({ name }) => name === 'Texts');
	const { assignments } = texts.parse(node?.parameters).assignments;
	return withParameters(file, 'Texts', {
		assignments: {
			assignments: assignments.map((text) => ({ ...text, value: inCyrillic(text.value) })),
		},
	});
}

/** Letter by letter, except what stands in braces and the HTML. */
export function inCyrillic(text: string): string {
	const spell = (part: string) =>
		part.replace(/[a-z]/gi, (letter) => CYRILLIC[LATIN.indexOf(letter.toLowerCase())] ?? '');
	return text
		.split(KEPT)
		.map((part) => (KEPT.test(part) ? part : spell(part)))
		.join('');
}

/** The example after somebody has translated the labels in the form that starts it. */
export function withTranslatedLabels(file: WorkflowFile): WorkflowFile {
	const form = file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	const { formFields } = labelled.parse(form?.parameters);
	return withParameters(file, form?.name ?? '', {
		formFields: {
			values: formFields.values.map((field) => ({
				...field,
				fieldLabel: inCyrillic(field.fieldLabel),
			})),
		},
	});
}
