import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { projects } = require('../../jest.config.js');
// Without its root: Stryker runs a copy of the project, and its root is that copy.
const unit = { ...projects.find(({ displayName }) => displayName === 'unit'), rootDir: undefined };

/**
 * The adaptive limit is tried on simulated lists of thousands of numbers. They pass through nearly all of `runtime/`, and
 * would have to run again for each mutant there, so they are asked about the limit itself only.
 */
const SIMULATED = process.env.MUTATE === 'adaptiveLimit';

const FOR_THE_TYPES =
	'only the compiler asks: at this place the value is always there, or always of that type';
const NO_ADDRESS = 'what is no text becomes a text that is refused; which one, does not matter';

/** Mutants that no test can notice, because the program does the same with them. `code` is part of the mutated line. */
export const EQUIVALENT = [
	{ file: 'api/address.ts', code: "typeof value === 'string' ? value : ''", why: NO_ADDRESS },
	{
		file: 'api/callbackUrl.ts',
		code: "typeof value === 'string' ? value.trim() : ''",
		why: NO_ADDRESS,
	},
	{ file: 'api/code.ts', code: "typeof text === 'string' ? text.trim() : ''", why: NO_ADDRESS },
	{
		file: 'api/patientClient.ts',
		code: "retry: 'transient'",
		why: 'what is neither false nor throttled is transient',
	},
	{
		file: 'api/contract/answerRecord.ts',
		code: "code: 'custom'",
		why: 'nobody looks at the kind of an issue with an answer',
	},
	{ file: 'api/contract/answerRecord.ts', code: 'fields[name]?.read(', why: FOR_THE_TYPES },
	{
		file: 'api/contract/answerValue.ts',
		code: 'function unchanged',
		why: 'a reader that gives nothing leaves the value as it came',
	},
	{ file: 'api/contract/requestValue.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{ file: 'api/inboundEvent.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{
		file: 'api/inboundEvent.ts',
		code: "typeof value === 'number' && Number.isSafeInteger(value)",
		why: FOR_THE_TYPES,
	},
	{
		file: 'api/callbackSeal.ts',
		code: 'text.length <= 2 * MAX_REFERENCE_LENGTH',
		why: 'a huge text is refused all the same, only later',
	},
	{ file: 'api/ipAllowlist.ts', code: "[addressText = ''", why: FOR_THE_TYPES },
	{ file: 'api/ipAllowlist.ts', code: 'written === undefined', why: FOR_THE_TYPES },
	{ file: 'api/ipAllowlist.ts', code: '[before = [], after = []', why: FOR_THE_TYPES },
	{
		file: 'api/networkFailure.ts',
		code: "''",
		why: 'no code at all is as good as any text that is none of the known codes',
	},
	{
		file: 'api/phone.ts',
		code: '/^\\+[08]/.test(compact)',
		why: 'there is no plus sign but at the start',
	},
	{
		file: 'api/phone.ts',
		code: "typeof value === 'number' && Number.isSafeInteger(value)",
		why: FOR_THE_TYPES,
	},
	{ file: 'api/privateHost.ts', code: 'isPrivateAddress?.(', why: FOR_THE_TYPES },
	{
		file: 'api/redact.ts',
		code: 'OTHER_SPELLINGS[character] ?? []',
		why: 'a spelling that nobody uses takes nothing away',
	},
	{
		file: 'runtime/adaptiveLimit.ts',
		code: "this.heldBackBy = 'ceiling'",
		why: 'what holds back and is not the quota is the ceiling',
	},
	{ file: 'runtime/expiryQueue.ts', code: 'last === undefined ||', why: FOR_THE_TYPES },
	{
		file: 'runtime/expiryQueue.ts',
		code: 'left === undefined ||',
		why: 'the right child is never there without the left one',
	},
	{
		file: 'runtime/doubt.ts',
		code: 'private isRaised = false',
		why: 'nothing is doubted before something was learned, which sets it',
	},
	{
		file: 'runtime/inFlightWidth.ts',
		code: "name: 'trying'",
		why: 'what is none of the other phases is a trial',
	},
	{
		file: 'runtime/inFlightWidth.ts',
		code: 'this.generation++',
		why: 'another number is all it takes',
	},
	{
		file: 'runtime/strayRefusals.ts',
		code: 'runs: number[] = []',
		why: 'what is no number is like no other run, and the first to go',
	},
	{
		file: 'runtime/strayRefusals.ts',
		code: 'this.runs = []',
		why: 'what is no number is like no other run, and the first to go',
	},
	{
		file: 'runtime/strayRefusals.ts',
		code: 'this.recent <= ',
		why: 'old refusals fade, so that beyond the first their sum is never whole',
	},
	{
		file: 'runtime/fixedLimit.ts',
		code: 'started(): undefined {',
		why: 'a function that returns nothing returns undefined',
	},
	{
		file: 'runtime/fixedLimit.ts',
		code: "pushback.kind !== 'throttled'",
		why: 'an answer that asks for no pause would ask for one of no length',
	},
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: SIMULATED
		? ['nodes/CallVerification/runtime/adaptiveLimit.ts']
		: [
				'nodes/CallVerification/{api,runtime}/**/*.ts',
				'!nodes/CallVerification/runtime/adaptiveLimit.ts',
			],
	testRunner: 'jest',
	jest: {
		config: {
			...unit,
			testEnvironment: './test/mutation/endWithFirstFailure.js',
			roots: ['<rootDir>/nodes', '<rootDir>/test/nodes', '<rootDir>/test/mutation'],
			testMatch: SIMULATED
				? ['<rootDir>/test/nodes/CallVerification/runtime/adaptiveLimit.test.ts']
				: ['<rootDir>/test/nodes/CallVerification/{api,runtime}/**/!(adaptiveLimit).test.ts'],
			moduleNameMapper: {
				'^fast-check$': '<rootDir>/test/mutation/fewerRuns.js',
				'^all-runs/fast-check$': 'fast-check',
			},
			testTimeout: 60_000,
		},
	},
	coverageAnalysis: 'perTest',
	// What runs once, when a file is loaded, would need every test again for each mutant: a sixth of them, and nine
	// tenths of the time.
	ignoreStatic: true,
	concurrency: 2,
	// Jest keeps what it has loaded; a process that has grown old collects garbage most of the time.
	maxTestRunnerReuse: 25,
	dryRunTimeoutMinutes: 20,
	thresholds: { high: 95, low: 90, break: 85 },
	plugins: ['@stryker-mutator/*', './test/mutation/unnamedSurvivors.mjs'],
	reporters: ['clear-text', 'progress', 'json', 'unnamed-survivors'],
	clearTextReporter: { allowColor: false, reportTests: false },
};
