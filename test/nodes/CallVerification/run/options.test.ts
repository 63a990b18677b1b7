import { type IExecuteFunctions, type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { CallVerification } from '../../../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../../../nodes/CallVerification/CallVerificationTrigger.node';
import {
	defaultsOf,
	givenOptions,
	isExpression,
	isGuard,
	OptionValues,
	plainText,
	readRequestOptions,
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

	it('is in the editor, if it is known here', () => {
		expect([...new Set(names)].sort()).toEqual([...GUARDS, ...HARMLESS].sort());
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

	it('leaves out a guard that the user left empty beside an expression', () => {
		const raw = { cooldown: '', client: '={{ x }}' };
		expect(given(raw, { cooldown: '', client: 'x' })).toEqual({ client: 'x' });
	});

	it('leaves the others their defaults, unless these are empty', () => {
		expect(defaultsOf(field)).toEqual({ cooldown: 0 });
	});

	it('has no defaults for a collection without options', () => {
		expect(defaultsOf({ ...field, options: undefined })).toEqual({});
	});

	it.each([undefined, null, {}, 'text'])('takes a collection that is %j as empty', (none) => {
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
		'={{ $min($ifEmpty($workflow.name, $execution.id), $today.day) }}',
	])('accepts what only the user can have written: %j', (value) => {
		expect(choose({ maxRetries: value })).not.toThrow();
	});

	it('rejects it for an option that this version does not have', () => {
		expect(choose({ brandNew: '={{ $json.x }}' })).toThrow('“brandNew” limits the model');
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

	it('is refused under the whole name of its field, less only a unit at the end', () => {
		const daily = { ...count, displayName: 'Count (Daily) of All' };
		expect(() => readValue(daily, -1)).toThrow('“Count (Daily) of All” must be a number from 0');
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

describe('the request options', () => {
	const read = (values: object) => {
		const context = {
			getNode: () => ({ parameters: { requestOptions: values } }),
			getNodeParameter: () => values,
		};
		return readRequestOptions(new OptionValues(context as unknown as IExecuteFunctions, false));
	};

	it.each([
		[
			'“Requests per Second” must be a number from 0 to 1000',
			'requestsPerSecond',
			[0, 0.5, '1000'],
			[-1, 1_000.5],
		],
		[
			'“Give Up After” must be a whole number from 1 to 86400',
			'giveUpAfter',
			[1, '86400'],
			[0, 1.5, 86_401],
		],
		['“Concurrency” must be a whole number from 0 to 64', 'concurrency', [0, '64'], [-1, 1.5, 65]],
		['“Max Retries” must be a whole number from 0 to 20', 'maxRetries', [0, '20'], [-1, 1.5, 21]],
		['“Timeout” must be more than 0 and at most 300 seconds', 'timeout', [0.5, '300'], [0, 300.5]],
	] as const)('have limits: %s', (words, name, accepted, refused) => {
		for (const value of accepted) expect(read({ [name]: value })[name]).toBe(Number(value));
		for (const value of refused) expect(() => read({ [name]: value })).toThrow(words);
	});

	it('are offered for what sends a request, and not for Wait', () => {
		const isOffered = (operation: string) =>
			NodeHelpers.displayParameter({ operation }, requestOptionsField, null, null);
		expect([isOffered('start'), isOffered('wait')]).toEqual([true, false]);
	});
});

describe('in a list,', () => {
	const field: INodeProperties = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [
			{ displayName: 'Most', name: 'most', type: 'number', default: 0 },
			{ displayName: 'Client', name: 'client', type: 'string', default: '' },
		],
	};
	const EXPRESSION = '={{ $json.x }}';

	/** Of that many items: the options as stored, and what n8n returns for each item. */
	function listOf(
		total: number,
		stored: object,
		valueOf: (itemIndex: number) => Readonly<Record<string, unknown>>,
		isTool = false,
	) {
		const evaluated: Array<[name: string, itemIndex: number]> = [];
		const context = {
			getNode: () => ({ parameters: { options: stored } }),
			getInputData: () => Array.from({ length: total }, () => ({ json: {} })),
			getNodeParameter(name: string, itemIndex: number) {
				if (itemIndex >= total) throw new Error('There is no such item');
				evaluated.push([name, itemIndex]);
				const values = valueOf(itemIndex);
				return name === 'options' ? values : values[name.replace('options.', '')];
			},
		};
		return { values: new OptionValues(context as unknown as IExecuteFunctions, isTool), evaluated };
	}

	describe('an option of the whole run', () => {
		/** By an expression that returns this for each item. */
		function readIn(total: number, valueOf: (itemIndex: number) => number) {
			const stored = { most: EXPRESSION, client: EXPRESSION };
			const { values, evaluated } = listOf(total, stored, (index) => ({ most: valueOf(index) }));
			// As the first two items do.
			for (const itemIndex of [0, Math.min(1, total - 1)]) {
				expect(values.read(field, itemIndex, ['most'])).toEqual({ most: valueOf(0) });
			}
			const compared = evaluated.filter(([name]) => name === 'options.most');
			return { hints: values.hints.length, read: compared.map(([, itemIndex]) => itemIndex) };
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

	it.each([
		['read once if they are fixed', 'x', [0]],
		['read for each item if one is an expression', EXPRESSION, [0, 1]],
	])('options are %s', (_when, client, reads) => {
		const { values, evaluated } = listOf(2, { client }, () => ({ client: 'x' }));
		for (const index of [0, 1]) {
			expect(values.read(field, index)).toEqual({ most: 0, client: 'x' });
		}
		expect(evaluated.map(([, itemIndex]) => itemIndex)).toEqual(reads);
	});

	it('options whose expression fails for the first item fail for no other', () => {
		const valueOf = (index: number) => {
			if (index === 0) throw new Error('No value');
			return { client: 'x' };
		};
		const { values } = listOf(2, { client: EXPRESSION }, valueOf);
		expect(() => values.read(field, 0)).toThrow('No value');
		expect(values.read(field, 1)).toEqual({ most: 0, client: 'x' });
	});

	it('no limit of a tool may come from the model', () => {
		const { values } = listOf(1, { most: EXPRESSION }, () => ({ most: 5 }), true);
		expect(() => values.read(field, 0)).toThrow('“Most” limits the model');
	});
});
