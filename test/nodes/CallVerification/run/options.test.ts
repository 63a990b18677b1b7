import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { CallVerification } from '../../../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../../../nodes/CallVerification/CallVerificationTrigger.node';
import {
	defaultsOf,
	givenOptions,
	isExpression,
	isGuard,
	OptionValues,
	plainText,
	readValue,
	rejectModelsChoice,
	requestOptionsField,
} from '../../../../nodes/CallVerification/run/options';

/**
 * Whoever adds an option decides here: does it limit calls, checks, costs, codes or senders? Then it is a guard, which
 * fails closed and is out of a model's reach.
 */
const GUARDS = [
	// calls and checks, and what they cost
	'allowedPrefixes',
	'cooldown',
	'defaultCountryCode',
	'earlierResults',
	'knownNumbers',
	'limitKey',
	'maxCallsPerHour',
	'maxCallsPerKey',
	'maxCallsPerNumber',
	'maxChecks',
	'maxTotalCost',
	'removeDuplicates',
	'reuseFor',
	'unique',
	// codes
	'hideCode',
	'maxAttempts',
	'maxWrongPerDay',
	'requireToken',
	'validFor',
	// events
	'expiresAfter',
	'ignoreDuplicates',
	'ipAllowlist',
	'issuers',
	// how hard and how long the service is asked
	'concurrency',
	'giveUpAfter',
	'maxRetries',
	'requestsPerSecond',
	'timeout',
];
const HARMLESS = [
	'client',
	'code',
	'includeInputFields',
	'maxWait',
	'outputBinaryPropertyName',
	'reference',
	'report',
	'waitingPage',
];

const optionsOf = (properties: INodeProperties[]) =>
	properties.flatMap(({ type, options = [] }) =>
		type === 'collection' ? options.map(({ name }) => name) : [],
	);

describe('every option', () => {
	const names = [
		...optionsOf(new CallVerification().description.properties),
		...optionsOf(new CallVerificationTrigger().description.properties),
	];

	it.each([...new Set(names)].sort())('%s is known here as a guard or as harmless', (name) => {
		expect([...GUARDS, ...HARMLESS]).toContain(name);
		expect(isGuard(name)).toBe(GUARDS.includes(name));
	});

	it('is a guard until it is listed as harmless', () => {
		expect(isGuard('brandNew')).toBe(true);
	});
});

describe('isExpression', () => {
	it.each([
		['={{ 1 }}', true],
		['=', true],
		['a=b', false],
		['', false],
		[undefined, false],
		[null, false],
		[5, false],
		[['a', '={{ 1 }}'], true],
		[{ deep: { deeper: '={{ 1 }}' } }, true],
		[{ deep: ['a'] }, false],
	])('%j: %s', (raw, is) => {
		expect(isExpression(raw)).toBe(is);
	});
});

describe('givenOptions', () => {
	const field: INodeProperties = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [
			{ displayName: 'Cooldown (Minutes)', name: 'cooldown', type: 'number', default: 0 },
			{ displayName: 'Client', name: 'client', type: 'string', default: '' },
		],
	};
	const given = (raw: unknown, value: unknown) => givenOptions(field, raw, value);

	it('returns what has a value', () => {
		const raw = { cooldown: '={{ 0 }}', client: 'x' };
		expect(given(raw, { cooldown: 0, client: 'x' })).toEqual({ cooldown: 0, client: 'x' });
		expect(given({ hideCode: '={{ false }}' }, { hideCode: false })).toEqual({ hideCode: false });
	});

	it.each(['', null, undefined])('leaves out what the user left as %j', (blank) => {
		expect(given({ cooldown: blank, client: blank }, { cooldown: blank, client: blank })).toEqual(
			{},
		);
	});

	it('leaves the others their defaults, unless these are empty', () => {
		expect(defaultsOf(field)).toEqual({ cooldown: 0 });
	});

	it('has no defaults for a collection without options', () => {
		expect(defaultsOf({ ...field, options: undefined })).toEqual({});
	});

	it.each([undefined, null, {}])('takes a collection that is %j as empty', (none) => {
		expect(given(none, none)).toEqual({});
	});

	it.each(['', ' ', ' ;,', '\u00a0', null, undefined, [], [null], [[]], {}])(
		'rejects %j from the expression of a guard',
		(nothing) => {
			expect(() => given({ cooldown: '={{ x }}' }, { cooldown: nothing })).toThrow(
				'The expression in “Cooldown” returned nothing',
			);
		},
	);

	it('accepts an object that is not empty from the expression of a guard', () => {
		const values = { knownNumbers: { a: 1 } };
		expect(given({ knownNumbers: '={{ x }}' }, values)).toEqual(values);
	});

	it('rejects a guard whose expression is deeper inside', () => {
		expect(() => given({ cooldown: ['={{ x }}'] }, { cooldown: [undefined] })).toThrow(
			'“Cooldown”',
		);
	});

	it('accepts nothing from the expression of a harmless option', () => {
		expect(given({ client: '={{ x }}' }, { client: null })).toEqual({});
	});

	it.each([undefined, null, '', 'text', 5, [], [{ cooldown: 1 }]])(
		'rejects %j from one expression for all options',
		(value) => {
			expect(() => given('={{ x }}', value)).toThrow(
				'The expression in “Options” returned nothing',
			);
		},
	);

	it('treats the options of one expression as expressions', () => {
		expect(given('={{ x }}', { cooldown: 5, client: '' })).toEqual({ cooldown: 5 });
		expect(given('={{ x }}', {})).toEqual({});
		expect(() => given('={{ x }}', { cooldown: '' })).toThrow('“Cooldown”');
	});
});

describe('rejectModelsChoice', () => {
	const choose = (stored: unknown) => () => rejectModelsChoice(requestOptionsField, stored);

	it.each(["={{ $fromAI('x') }}", '={{ $json.options }}', '={{ { maxRetries: 5 } }}', '='])(
		'rejects all options in one expression: %s',
		(raw) => {
			expect(choose(raw)).toThrow(
				'“Request Options” is one expression, with which a model could set limits',
			);
		},
	);

	it.each([
		"={{ $fromAI('x') }}",
		"={{ $fromai('x') }}",
		"={{ $from_ai('x') }}",
		"=7{{ /* anything */ $fromAI('x') }}",
		'={{ $data.x }}',
		'={{ $tool.parameters.x }}',
		'={{ $parameter.phone }}',
		'={{ 1 + $json.x }}',
		'={{ $input.all()[0].json.x }}',
		"={{ $node['Agent'].json.x }}",
		'={{ $items()[0].json.x }}',
		'={{ $vars.limit ?? $json.limit }}',
		['={{ $json.x }}'],
		{ deep: [{ deeper: "={{ $fromAI('x') }}" }] },
	])('rejects a limit that a model could write: %j', (value) => {
		expect(choose({ maxRetries: value })).toThrow('“Max Retries” limits the model');
	});

	it.each([
		5,
		'',
		'$json is not read in a fixed text',
		'={{ 5 }}',
		'={{ $vars.limit }}',
		'={{ $env.LIMIT }}',
		"={{ $('Settings').first().json.limit }}",
		'={{ $if($now.hour > 8, 5, $max(1, 2)) }}',
	])('accepts what only the user can have written: %j', (value) => {
		expect(choose({ maxRetries: value })).not.toThrow();
	});

	it.each([undefined, null, {}])('accepts %j', (raw) => {
		expect(choose(raw)).not.toThrow();
	});
});

describe('what an expression returns', () => {
	const count = { displayName: 'Count', name: 'count', type: 'number', default: 0 } as const;
	const toggle = { displayName: 'Toggle', name: 'on', type: 'boolean', default: true } as const;

	it.each([
		[5, 5],
		['5', 5],
		[' 0 ', 0],
	])('is a number: %j', (value, number) => {
		expect(readValue(count, value)).toBe(number);
	});

	it.each(['', ' ', 'five', null, undefined, true, [], [5]])('is none, not even 0: %j', (value) => {
		expect(() => readValue(count, value)).toThrow('“Count” must be a number from 0');
	});

	it.each(['maybe', '', null, 5])('is neither true nor false: %j', (value) => {
		expect(() => readValue(toggle, value)).toThrow('“Toggle” is neither true nor false');
	});

	it.each([
		['a', 'a'],
		[5, '5'],
		[false, 'false'],
	])('is text: %j', (value, text) => {
		expect(plainText('Code').parse(value)).toBe(text);
	});

	it.each([[{}], [[]], [null], [undefined]])('is not text: %j', (value) => {
		expect(() => plainText('Code').parse(value)).toThrow();
	});
});

describe('an option of the whole run', () => {
	const field: INodeProperties = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [{ displayName: 'Most', name: 'most', type: 'number', default: 0 }],
	};
	/** In a list, by an expression that returns this for each item. */
	function readIn(total: number, valueOf: (itemIndex: number) => number) {
		const read: number[] = [];
		const context = {
			getNode: () => ({ parameters: { options: { most: '={{ $json.most }}' } } }),
			getInputData: () => Array.from({ length: total }, () => ({ json: {} })),
			getNodeParameter(name: string, itemIndex: number) {
				if (name === 'options') return { most: valueOf(itemIndex) };
				if (itemIndex >= total) throw new Error('There is no such item');
				read.push(itemIndex);
				return valueOf(itemIndex);
			},
		};
		const values = new OptionValues(context as unknown as IExecuteFunctions, false);
		expect(values.read(field, 0, ['most'])).toEqual({ most: valueOf(0) });
		return { hints: values.hints.length, read };
	}

	it.each([1, 2, 1_000])('has one value for all of %i items', (total) => {
		expect(readIn(total, () => 5).hints).toBe(0);
	});

	it.each([2, 11, 1_000])('has another value for the last of %i items', (total) => {
		expect(readIn(total, (itemIndex) => (itemIndex === total - 1 ? 6 : 5)).hints).toBe(1);
	});

	it('has no value for the last item, because the expression fails there', () => {
		const valueOf = (itemIndex: number) => {
			if (itemIndex === 2) throw new Error('No value');
			return 5;
		};
		expect(readIn(3, valueOf).hints).toBe(1);
	});

	it('is read for a few items of a long list', () => {
		expect(readIn(1_001, () => 5).read).toEqual([
			0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000,
		]);
		expect(readIn(3, () => 5).read).toEqual([0, 1, 2]);
	});
});
