import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { CallVerificationApi } from '../../credentials/CallVerificationApi.credentials';
import { CallVerification } from '../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { resources } from '../../nodes/CallVerification/operations';

/** The editor's texts must make sense to someone who has never programmed. */

const node = new CallVerification().description;
const trigger = new CallVerificationTrigger().description;
const credential = new CallVerificationApi();

/** Names in n8n's own interface that our texts mention. */
const WORDS_OF_N8N = ['Loop Over Items'];

const isField = (
	entry: NonNullable<INodeProperties['options']>[number],
): entry is INodeProperties => 'displayName' in entry && 'type' in entry;

/** A field and those inside it. */
const withInner = (field: INodeProperties): INodeProperties[] => [
	field,
	...(field.options ?? []).filter(isField).flatMap(withInner),
];

const fields = [...node.properties, ...trigger.properties, ...credential.properties].flatMap(
	withInner,
);
const inputs = fields.filter(({ type }) => type !== 'notice');
const notices = fields.filter(({ type }) => type === 'notice');
const choices = inputs
	.filter(({ type }) => type === 'options')
	.flatMap(({ options }) => options as INodePropertyOptions[]);

const texts = [
	...fields.map(({ description }) => description),
	...notices.map(({ displayName }) => displayName),
	...choices.map(({ description }) => description),
	...(node.hints ?? []).map(({ message }) => message),
	node.description,
	trigger.description,
	trigger.activationMessage,
	JSON.stringify(trigger.triggerPanel),
].filter((text) => text !== undefined);

describe('the texts of the editor', () => {
	it('describe every field and operation in a line', () => {
		const prescribed = ['resource', 'operation', 'options', 'requestOptions'];
		const operations = resources.flatMap(({ operations: own }) => own);
		const described = [
			...inputs.filter(({ name }) => !prescribed.includes(name)),
			...operations,
			...operations.map(({ name, action }) => ({ name, description: action })),
		].map(({ name, description = '' }) => `${name}: ${description}`);
		expect(described.filter((line) => !/^\w.*?: [A-Z][^\n]{5,200}$/.test(line))).toEqual([]);
	});
	it('show an example after “e.g.” wherever people type', () => {
		const typed = inputs.filter(
			({ type, typeOptions, default: byDefault }) =>
				type === 'string' && typeOptions?.password !== true && byDefault === '',
		);
		expect(typed.length).toBeGreaterThan(0);
		expect(typed.filter(({ placeholder }) => placeholder?.startsWith('e.g. ') !== true)).toEqual(
			[],
		);
	});

	it('say in advance what costs money, and what is deprecated', () => {
		const noticed = (operation: string, word: RegExp) =>
			notices.some(
				({ displayName, displayOptions: { show: { resource, operation: value } = {} } = {} }) =>
					word.test(displayName) &&
					JSON.stringify([resource, value]) ===
						JSON.stringify(operation.split('.').map((name) => [name])),
			);
		expect(noticed('call.start', /costs money/)).toBe(true);
		expect(noticed('phoneNumber.check', /costs money/)).toBe(true);
		expect(noticed('call.repeat', /^Deprecated/)).toBe(true);
	});

	it('mention only what exists', () => {
		const known = [
			...WORDS_OF_N8N,
			...fields.map(({ displayName }) => displayName),
			...choices.map(({ name }) => name),
			...resources.flatMap(({ name, operations }) =>
				operations.map((operation) => `${name}: ${operation.name}`),
			),
		];
		const pointers = texts.flatMap((text) =>
			[...text.matchAll(/“([^”]+)”/g)].map(([, name]) => name),
		);
		expect(pointers.length).toBeGreaterThan(0);
		expect(pointers.filter((name) => !known.includes(name ?? ''))).toEqual([]);
	});
});
