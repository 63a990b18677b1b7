import type { INodeProperties } from 'n8n-workflow';

import { CallVerification } from '../../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../../nodes/CallVerification/CallVerificationTrigger.node';
import { eventFields } from '../../../nodes/CallVerification/inbound/inboundEvent';
import { resources } from '../../../nodes/CallVerification/operations';

/** What a model reads when it builds an n8n workflow. It cannot ask questions, so every name must be right. */

const action = new CallVerification().description;
const trigger = new CallVerificationTrigger().description;

const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		title: `${resource.name}: ${operation.name}`,
		operation,
		hint: operation.builderHint ?? '',
	})),
);
const titles = operations.map(({ title }) => title.replace(/ \(.*\)$/, ''));

/** A field and those in its collection. */
const withInner = (field: INodeProperties): INodeProperties[] => [
	field,
	...(field.type === 'collection' ? ((field.options ?? []) as INodeProperties[]) : []),
];
const fieldsOf = (fields: readonly INodeProperties[]) => fields.flatMap(withInner);
const actionFields = fieldsOf(
	resources.flatMap(({ operations: all }) => all).flatMap((one) => one.fields),
);

const fieldHints = fieldsOf([...actionFields, ...trigger.properties]).flatMap(
	({ name, builderHint }) =>
		builderHint === undefined
			? []
			: [{ title: `the field ${name}`, hint: builderHint.propertyHint }],
);
const nodeHints = [action, trigger].map(({ displayName, builderHint }) => ({
	title: displayName,
	hint: builderHint?.searchHint ?? '',
}));
const all = [...operations.filter(({ hint }) => hint !== ''), ...fieldHints, ...nodeHints];

const outputNames = [
	...Object.keys(eventFields),
	...operations.flatMap(({ operation }) => Object.keys(operation.output)),
];

describe('the hints for builders', () => {
	it.each(operations)('of $title say what it costs, as the README does', ({ operation, hint }) => {
		const says = { yes: /^Costs money/, varies: /^May cost money/, no: /^(?!.*cost)/i };
		expect(hint).toMatch(says[operation.costs]);
	});

	it('are where money or proof is at stake', () => {
		const fields = ['allowedPrefixes', 'maxCallsPerHour', 'maxTotalCost', 'callbackTarget'];
		expect([...operations.filter(({ hint }) => hint !== ''), ...fieldHints]).toEqual(
			expect.arrayContaining(
				['Inbound Call: Get Number to Call', ...fields.map((name) => `the field ${name}`)].map(
					(title) => expect.objectContaining({ title }),
				),
			),
		);
		expect(nodeHints.map(({ hint }) => hint)).toEqual([
			expect.stringMatching(/cost money.*allowedPrefixes/),
			expect.stringMatching(/^Publish the workflow with this trigger first/),
		]);
	});
	it.each(all)('of $title name operations that exist', ({ hint }) => {
		const named = [
			...hint.matchAll(/(?:(?:Inbound|Phone) )?[A-Z]\w+: [A-Z]\w+(?: (?:to )?[A-Z]\w+)*/g),
		]
			.map(([name]) => name)
			.filter((name) => name !== 'Error: Continue');
		for (const name of named) expect(titles).toContain(name);
	});

	it.each(all)('of $title name fields that exist', ({ hint }) => {
		const names = fieldsOf([...actionFields, ...trigger.properties]).map(({ name }) => name);
		for (const [name] of hint.matchAll(/\b[a-z]+[A-Z]\w*/g)) expect(names).toContain(name);
		for (const [name] of hint.matchAll(/\b[a-z]+_\w+/g)) expect(outputNames).toContain(name);
		for (const [, name] of hint.matchAll(/\b(\w+) = (?:true|false)/g)) {
			expect(outputNames).toContain(name);
		}
	});

	it.each(operations.filter(({ hint }) => hint !== ''))(
		'of $title name only its own fields and those of Start',
		({ operation, hint }) => {
			const own = fieldsOf(operation.fields).map(({ name }) => name);
			const named = [...hint.matchAll(/\b[a-z]+[A-Z]\w*/g)].map(([name]) => name);
			expect(named.filter((name) => !own.includes(name) && name !== 'callbackTarget')).toEqual([]);
		},
	);

	it.each(fieldHints)('of $title name choices that exist', ({ hint }) => {
		const choices = actionFields.flatMap(({ options = [] }) =>
			options.map((option) => ('value' in option ? option.value : '')),
		);
		for (const [, choice] of hint.matchAll(/“(\w+)”/g)) expect(choices).toContain(choice);
	});
});
