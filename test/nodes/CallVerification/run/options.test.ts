import type { INodeProperties } from 'n8n-workflow';

import { CallVerification } from '../../../../nodes/CallVerification/CallVerification.node';
import { CallVerificationTrigger } from '../../../../nodes/CallVerification/CallVerificationTrigger.node';
import {
	defaultsOf,
	givenOptions,
	isExpression,
	isGuard,
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
