import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { projects } = require('./jest.config.js');
// Without its root: Stryker runs a copy of the project, and its root is that copy.
const unit = { ...projects.find(({ displayName }) => displayName === 'unit'), rootDir: undefined };

/**
 * The adaptive limit is tried on simulated lists of thousands of numbers. They pass through nearly all of `runtime/`, and
 * would have to run again for each mutant there, so they are asked about the limit itself only.
 */
const SIMULATED = process.env.MUTATE === 'adaptiveLimit';

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
	reporters: ['clear-text', 'progress', 'json'],
	clearTextReporter: { allowColor: false, reportTests: false },
};
