import { runInNewContext } from 'node:vm';

import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { z } from 'zod';

import { CallVerification } from '../../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../../nodes/CallVerification/CallVerificationTrigger.node';
import { resources } from '../../../nodes/CallVerification/operations';
import { defaultsOf } from '../../../nodes/CallVerification/run/options';

const { properties, subtitle, hints = [] } = new CallVerification().description;

const OPERATIONS = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		resource: resource.value,
		operation,
	})),
);

/** The field names that saved workflows have. Later operations need no entry. */
const FIXED: Record<string, string[]> = {
	'account.get': ['simplify'],
	'account.getBalance': [],
	'call.checkCode': [
		'uid',
		'code',
		'options.includeInputFields',
		'options.maxAttempts',
		'options.maxWrongPerDay',
		'options.requireToken',
		'options.validFor',
	],
	'call.get': [
		'uid',
		'waitForResult',
		'simplify',
		'options.hideCode',
		'options.includeInputFields',
		'options.maxWait',
	],
	'call.repeat': ['uid'],
	'call.start': [
		'phone',
		'delivery',
		'waitForResult',
		'options.allowedPrefixes',
		'options.code',
		'options.cooldown',
		'options.client',
		'options.defaultCountryCode',
		'options.hideCode',
		'options.unique',
		'options.includeInputFields',
		'options.limitKey',
		'options.maxCallsPerHour',
		'options.maxCallsPerKey',
		'options.maxCallsPerNumber',
		'options.maxWait',
	],
	'inboundCall.start': [
		'phone',
		'callbackTarget',
		'callbackUrl',
		'options.allowedPrefixes',
		'options.defaultCountryCode',
		'options.expiresAfter',
		'options.includeInputFields',
		'options.limitKey',
		'options.maxCallsPerHour',
		'options.maxCallsPerKey',
		'options.reference',
	],
	'inboundCall.wait': ['uid', 'limitWaitTime', 'options.waitingPage'],
	'phoneNumber.check': [
		'phone',
		'simplify',
		'options.defaultCountryCode',
		'options.includeInputFields',
		'options.maxTotalCost',
		'options.removeDuplicates',
	],
	'phoneNumber.checkFile': [
		'binaryPropertyName',
		'phoneColumn',
		'options.defaultCountryCode',
		'options.earlierResults',
		'options.report',
		'options.maxChecks',
		'options.maxTotalCost',
		'options.knownNumbers',
		'options.outputBinaryPropertyName',
		'options.reuseFor',
	],
	'service.get': [],
};

/** Several fields may share a name; only one of them is shown at a time. */
function namesOf(fields: INodeProperties[]): string[] {
	const names = fields
		.filter(({ type }) => type !== 'notice')
		.flatMap(({ name, type, options }) =>
			type === 'collection' ? (options ?? []).map((option) => `${name}.${option.name}`) : [name],
		);
	return [...new Set(names)];
}

function keysOf(schema: z.ZodTypeAny): string[] {
	return Object.entries(shapeOf(schema) ?? {}).flatMap(([key, value]) => {
		const inner = shapeOf(value);
		return inner === undefined ? [key] : Object.keys(inner).map((name) => `${key}.${name}`);
	});
}

function shapeOf(schema: z.ZodTypeAny): Record<string, z.ZodTypeAny> | undefined {
	// The phone number is read last, by a transformation of the whole.
	if (schema instanceof z.ZodEffects) return shapeOf(schema.innerType() as z.ZodTypeAny);
	return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodTypeAny>) : undefined;
}

const inside = (field: INodeProperties) =>
	field.type === 'collection' ? (field.options as INodeProperties[]) : [field];

/** The defaults, and the examples of what is required. */
function filledIn(fields: readonly INodeProperties[]): Record<string, unknown> {
	const valueOf = (field: INodeProperties) => {
		if (field.type === 'collection') return defaultsOf(field);
		return field.required ? field.placeholder?.replace('e.g. ', '') : field.default;
	};
	return Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
}

const isChoice = ({ type }: INodeProperties) => type === 'options';

/** Of the default. That of a notice is never shown. */
const TYPES: Readonly<Record<string, string>> = {
	boolean: 'boolean',
	notice: 'string',
	number: 'number',
	options: 'string',
	string: 'string',
};

describe('the panel', () => {
	it.each(Object.entries(FIXED))('%s has exactly its fixed fields', (fixed, fields) => {
		const kept = OPERATIONS.find(({ name }) => name === fixed);
		expect(namesOf(kept?.operation.fields ?? [])).toEqual(fields);
		expect(kept).toBeDefined();
	});

	it.each(OPERATIONS)('$name checks every field it shows and no other', ({ operation }) => {
		expect(keysOf(operation.parameters).sort()).toEqual(namesOf(operation.fields).sort());
	});

	it.each(OPERATIONS)('$name accepts its defaults, and its examples where required', (shown) => {
		const { fields, parameters } = shown.operation;
		expect(parameters.safeParse(filledIn(fields))).toMatchObject({ success: true });
	});

	it.each(OPERATIONS)('$name offers what it accepts, and the default is one of it', (shown) => {
		const { fields, parameters } = shown.operation;
		for (const { name, default: byDefault, options } of fields.filter(isChoice)) {
			const values = (options as INodePropertyOptions[]).map(({ value }) => value);
			expect(values).toContain(byDefault);
			for (const value of values) {
				const entered = { ...filledIn(fields), [name]: value };
				expect([value, parameters.safeParse(entered).success]).toEqual([value, true]);
			}
		}
	});

	it.each(OPERATIONS)('$name has inputs for its values, and a name for each', ({ operation }) => {
		for (const { name, type, default: byDefault } of operation.fields.flatMap(inside)) {
			expect({ name, type: TYPES[type] }).toEqual({ name, type: typeof byDefault });
			expect(name).toMatch(/^\w+$/);
			if (type === 'notice') expect(byDefault).toBe('');
		}
	});

	it.each(OPERATIONS)('$name lets nobody empty a text that it fills in', ({ operation }) => {
		const texts = operation.fields.filter(({ type }) => type === 'string');
		const filled = texts.filter(({ default: byDefault }) => byDefault !== '');
		expect(filled.filter(({ required }) => required !== true)).toEqual([]);
	});

	it.each(OPERATIONS)('$name has room for several lines of HTML', ({ operation }) => {
		const fields = operation.fields.flatMap(inside);
		const pages = fields.filter(({ placeholder }) => placeholder?.startsWith('e.g. <'));
		for (const { typeOptions } of pages) expect(typeOptions?.rows).toBeGreaterThan(1);
	});

	it.each(OPERATIONS)('$name has one Max Total Cost for the whole run', ({ operation }) => {
		const fields = operation.fields.flatMap(inside).map(({ name }) => name);
		const ofRun = fields.filter((name) => name === 'maxTotalCost');
		expect(operation.optionsOfRun ?? []).toEqual(ofRun);
	});

	it.each(OPERATIONS)('$name has its options in the order of their names', ({ operation }) => {
		const options = operation.fields.flatMap((field) => field.options ?? []);
		const names = options.flatMap((option) => ('type' in option ? [option.displayName] : []));
		expect(names).toEqual([...names].sort((one, other) => one.localeCompare(other)));
	});

	/** Of a number, only the field knows its limits: an expression is checked against them. */
	it.each(OPERATIONS)('$name has limits for every number, and defaults within', ({ operation }) => {
		const numbers = operation.fields.flatMap(inside).filter(({ type }) => type === 'number');
		for (const { displayName, default: value, typeOptions = {}, description = '' } of numbers) {
			const { minValue = NaN, maxValue = NaN, numberPrecision } = typeOptions;
			const isInside = Number(value) >= minValue && Number(value) <= maxValue;
			// A minimum of 1 is the editor's step of whole numbers and durations.
			const isKnown = minValue === 0 || (minValue === 1 && /\(\w+\)$/.test(displayName));
			const isOff = !description.includes('Set to 0') || minValue === 0;
			const found = { displayName, isInside, isKnown: isKnown || numberPrecision === 0, isOff };
			expect(found).toEqual({ displayName, isInside: true, isKnown: true, isOff: true });
		}
	});

	it.each(OPERATIONS)('$name counts minutes up to a month', ({ operation }) => {
		const fields = operation.fields.flatMap(inside);
		const minutes = fields.filter(({ displayName }) => displayName.endsWith('(Minutes)'));
		for (const { typeOptions } of minutes) expect(typeOptions?.maxValue).toBe(31 * 24 * 60);
	});

	it.each(OPERATIONS)('$name shows its fields for itself alone', ({ resource, operation }) => {
		const shown = properties.filter(
			({ displayOptions }) =>
				displayOptions?.show?.resource?.includes(resource) &&
				displayOptions.show.operation?.includes(operation.value),
		);
		expect(shown.map(({ name }) => name)).toEqual(operation.fields.map(({ name }) => name));
	});

	it('says under the node’s name what it does', () => {
		for (const { name, operation } of OPERATIONS) {
			expect(subtitle).toContain(JSON.stringify({ [name]: operation.action }).slice(1, -1));
		}
	});

	it('marks the deprecated method as such (§9.2)', () => {
		const operations = properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ options }) => options ?? []) as INodePropertyOptions[];
		expect(operations.find(({ value }) => value === 'repeat')?.name).toBe('Repeat (Deprecated)');
	});

	it('offers the request options wherever a request is sent, the most wanted first', () => {
		const requestOptions = properties.find(({ name }) => name === 'requestOptions');
		const without = OPERATIONS.filter(
			({ resource, operation: { value: operation } }) =>
				requestOptions &&
				!NodeHelpers.displayParameter({ resource, operation }, requestOptions, null, null),
		);
		expect(without.map(({ name }) => name)).toEqual(['inboundCall.wait']);
		expect(requestOptions?.options?.map(({ name }) => name)).toEqual([
			'requestsPerSecond',
			'giveUpAfter',
			'concurrency',
			'maxRetries',
			'timeout',
		]);
	});

	it('offers Max Wait only to those who wait', () => {
		const options = properties.filter(({ name }) => name === 'options');
		const fields = options.flatMap(({ options: inner = [] }) => inner as INodeProperties[]);
		const maxWait = fields.filter(({ name }) => name === 'maxWait');
		const isShown = (waitForResult: boolean) =>
			maxWait.map((field) =>
				NodeHelpers.displayParameter({}, field, null, null, { waitForResult }),
			);
		expect(isShown(true)).toEqual([true, true]);
		expect(isShown(false)).toEqual([false, false]);
	});

	describe('says before a run', () => {
		/** As the editor does, but without the items, which it does not know either. */
		const shownFor = (name: string, $rawParameter: Record<string, unknown>) => {
			const [resource, operation] = name.split('.');
			const $parameter = { ...$rawParameter, resource, operation };
			const shown = hints.filter(({ displayCondition = '' }) => {
				const code = /^=\{\{(.*)\}\}$/.exec(displayCondition)?.[1] ?? '';
				return runInNewContext(code, { $parameter, $rawParameter }) === true;
			});
			return shown.map(({ message }) => message);
		};
		const PHONE = '={{ $json.phone }}';

		it.each<[string, string, Array<Record<string, unknown>>, Array<Record<string, unknown>>]>([
			[
				'call.start',
				'one phone rings per item',
				[{ phone: PHONE }],
				[{ phone: '+7 900 000-00-01' }],
			],
			[
				'phoneNumber.check',
				'add “Max Total Cost”',
				[{ phone: PHONE }, { phone: PHONE, options: {} }],
				[{ phone: '+7 900 000-00-01' }, { phone: PHONE, options: { maxTotalCost: 1 } }],
			],
			[
				'phoneNumber.checkFile',
				'add “Max Total Cost”',
				[{}, { options: {} }],
				[{ options: { maxTotalCost: 1 } }, { options: { maxChecks: 1 } }],
			],
			[
				'inboundCall.start',
				'only works in a published workflow',
				[{ callbackTarget: 'trigger' }, { callbackTarget: 'trigger', callbackUrl: '' }],
				[
					{ callbackTarget: 'trigger', callbackUrl: 'https://n8n.test/webhook/1/inbound-call' },
					{ callbackTarget: 'execution' },
				],
			],
		])('what %s may lead to: “%s”', (name, words, shown, hidden) => {
			for (const parameters of shown) {
				expect(shownFor(name, parameters)).toEqual([expect.stringContaining(words)]);
			}
			for (const parameters of hidden) expect(shownFor(name, parameters)).toEqual([]);
		});
	});

	it('lists what most people want first, and what is deprecated last in its resource', () => {
		const actions = OPERATIONS.map(({ operation }) => operation.action);
		expect(actions.slice(0, 4)).toEqual([
			'Check phone number',
			'Check phone numbers in file',
			'Call person with code',
			'Check code typed by person',
		]);
		const resourceOf = (name = '') => name.split('.')[0];
		const followed = OPERATIONS.filter(
			({ name, operation }, index) =>
				operation.action.includes('(deprecated)') &&
				resourceOf(OPERATIONS[index + 1]?.name) === resourceOf(name),
		);
		expect(followed.map(({ name }) => name)).toEqual([]);
		expect(actions.join()).toContain('(deprecated)');
	});
});

describe('the panel of the tool', () => {
	const hidden = OPERATIONS.flatMap(({ name, operation }) => {
		const fields = operation.fields.flatMap((field) => [
			{ path: `${name} ${field.name}`, field },
			...((field.options ?? []) as INodePropertyOptions[]).map((option) => ({
				path: `${name} ${field.name}.${option.name}`,
				field: option,
			})),
		]);
		return fields.filter(({ field }) => !isShownForTools(field)).map(({ path }) => path);
	});

	it('has nothing that waits, no code to choose, and no input to include', () => {
		expect(hidden).toEqual([
			'phoneNumber.check options.includeInputFields',
			'call.start waitForResult',
			'call.start options.code',
			'call.start options.hideCode',
			'call.start options.includeInputFields',
			'call.start options.maxWait',
			'call.checkCode options.includeInputFields',
			'call.get waitForResult',
			'call.get options',
			'call.get options.hideCode',
			'call.get options.includeInputFields',
			'call.get options.maxWait',
			'inboundCall.start callbackTarget.Continue This Execution',
			'inboundCall.start options.includeInputFields',
		]);
	});

	it('has no operation that waits, takes a file or is deprecated', () => {
		const operations = properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ options = [] }) => options as INodePropertyOptions[]);
		const left = operations.filter((option) => !isShownForTools(option)).map(({ name }) => name);
		expect(left).toEqual(['Check File', 'Repeat (Deprecated)', 'Wait']);
	});

	/** Whether n8n would show it, whatever the values of the other fields. */
	function isShownForTools(field: INodeProperties | INodePropertyOptions): boolean {
		const description = { name: 'callVerificationTool' } as INodeTypeDescription;
		const { hide } = field.displayOptions ?? {};
		return NodeHelpers.displayParameter(
			{},
			{ ...field, displayOptions: { hide } },
			null,
			description,
		);
	}
});

describe('the version of the trigger', () => {
	it('is not 1, for which n8n evaluates its own expression on every request', () => {
		expect(new CallVerificationTrigger().description.version).toBeGreaterThan(1);
	});
});
