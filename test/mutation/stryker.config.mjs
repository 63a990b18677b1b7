import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { projects } = require('../../jest.config.js');
// Without `rootDir`: Stryker runs a copy of the project, which is its own root.
const unit = { ...projects.find(({ displayName }) => displayName === 'unit'), rootDir: undefined };

/**
 * The tests of the adaptive limit simulate lists of thousands of numbers. They pass through nearly all of `pacing/`
 * and would have to rerun for each mutant there, so they test mutants of the limit itself only.
 */
const SIMULATED = process.env.MUTATE === 'limit';

const FOR_THE_TYPES =
	'only the compiler asks: at this place the value is always there, or always of that type';
const NO_ADDRESS = 'what is no text becomes a text that is refused; which one, does not matter';

/** Mutants no test can detect, because the behavior stays the same. `code` is part of the mutated line. */
export const EQUIVALENT = [
	{
		file: 'transport/credential.ts',
		code: "typeof value === 'string' ? value : ''",
		why: NO_ADDRESS,
	},
	{
		file: 'inbound/callbackUrl.ts',
		code: "typeof value === 'string' ? value.trim() : ''",
		why: NO_ADDRESS,
	},
	{ file: 'codes/call.ts', code: "String(value).trim() : ''", why: NO_ADDRESS },
	{
		file: 'transport/pipeline.ts',
		code: "retry: 'transient'",
		why: 'what is neither false nor rateLimited is transient',
	},
	{
		file: 'contract/fields.ts',
		code: "code: 'custom'",
		why: 'nobody looks at the kind of an issue with a response',
	},
	{ file: 'contract/fields.ts', code: 'fields[name]?.read(', why: FOR_THE_TYPES },
	{
		file: 'contract/fields.ts',
		code: 'function unchanged',
		why: 'a reader that gives nothing leaves the value as it came',
	},
	{ file: 'contract/request.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{ file: 'inbound/inboundEvent.ts', code: 'issue?.', why: FOR_THE_TYPES },
	{
		file: 'inbound/inboundEvent.ts',
		code: "typeof value === 'number' && Number.isSafeInteger(value)",
		why: FOR_THE_TYPES,
	},
	{ file: 'inbound/callbackSeal.ts', code: "[exp = ''", why: FOR_THE_TYPES },
	{ file: 'pacing/expiringMap.ts', code: 'if (next &&', why: FOR_THE_TYPES },
	{ file: 'inbound/ipAllowlist.ts', code: "[, address = ''", why: FOR_THE_TYPES },
	{
		file: 'transport/errors.ts',
		code: "codes.find(isCode) ?? ''",
		why: 'no code at all is as good as any text that is none of the known codes',
	},
	{
		file: 'phones/phone.ts',
		code: '/^\\+[08]/.test(number)',
		why: 'there is no plus sign but at the start',
	},
	{ file: 'inbound/callbackUrl.ts', code: 'isPrivateAddress?.(', why: FOR_THE_TYPES },
	{
		file: 'transport/redact.ts',
		code: 'OTHER_SPELLINGS[character] ?? []',
		why: 'a spelling that nobody uses takes nothing away',
	},
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: SIMULATED
		? ['nodes/CallVerification/pacing/limit.ts']
		: [
				'nodes/CallVerification/{codes,contract,inbound,pacing,phones,transport}/**/*.ts',
				'!nodes/CallVerification/pacing/limit.ts',
			],
	testRunner: 'jest',
	jest: {
		config: {
			...unit,
			testEnvironment: './test/mutation/endWithFirstFailure.js',
			roots: ['<rootDir>/nodes', '<rootDir>/test/nodes', '<rootDir>/test/mutation'],
			testMatch: SIMULATED
				? ['<rootDir>/test/nodes/CallVerification/pacing/{adaptiveLimit,limit}.test.ts']
				: [
						'<rootDir>/test/nodes/CallVerification/{codes,contract,inbound,pacing,phones,transport}/**/!(adaptiveLimit).test.ts',
					],
			moduleNameMapper: {
				'^fast-check$': '<rootDir>/test/mutation/fewerRuns.js',
				'^all-runs/fast-check$': 'fast-check',
			},
			testTimeout: 60_000,
		},
	},
	coverageAnalysis: 'perTest',
	// A mutant in code that runs once, at load time, would need every test again. These are a sixth of all
	// mutants, and would take nine tenths of the time.
	ignoreStatic: true,
	concurrency: 2,
	// Jest keeps every module it has loaded, so an old process spends most of its time on garbage collection.
	maxTestRunnerReuse: 25,
	dryRunTimeoutMinutes: 20,
	thresholds: { high: 95, low: 90, break: 85 },
	plugins: ['@stryker-mutator/*', './test/mutation/unnamedSurvivors.mjs'],
	reporters: ['clear-text', 'progress', 'json', 'unnamed-survivors'],
	clearTextReporter: { allowColor: false, reportTests: false },
};
