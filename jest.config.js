// Set-ups and the reporter are TypeScript as well, and jest loads them without its transform.
require('./scripts/typescript.js');

// One seed for a whole run; each line of the report shows it.
for (const name of ['FAULT_SEED', 'QUEUE_SEED']) {
	process.env[name] ||= String(Math.floor(Math.random() * 2 ** 32));
}

/** @type {import('jest').Config} */
const base = {
	rootDir: __dirname,
	testEnvironment: 'node',
	transform: {
		'\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json'],
};
const withProperties = { ...base, setupFiles: ['<rootDir>/test/properties.ts'] };

/** How long a test may take before it counts as hanging; a busy machine takes its time. */
const within = (seconds, ...setup) => ({
	globals: { TEST_TIMEOUT: seconds * 1_000 },
	setupFilesAfterEnv: ['<rootDir>/test/timeout.ts', ...setup],
});

/** Tests in n8n's engine for which it makes no difference how the service names its fields. */
const IN_ANY_NAMES = [
	'contributing',
	'costLimit',
	'credentialReads',
	'docs',
	'keyRoute',
	'lists',
	'olderN8n',
	'outages',
	'paidResults',
	'realService',
	'requestLog',
	'runLoop',
	'seams',
	'unsentChecks',
];

/** `npm test` runs the first four; each of the others has a command of its own. */
module.exports = {
	projects: [
		{
			...withProperties,
			...within(240),
			displayName: 'unit',
			testMatch: [
				'<rootDir>/test/{nodes,credentials,package,contract,emulator,bench}/**/*.test.ts',
			],
		},
		{
			...withProperties,
			...within(240),
			// n8n ships zod 3.25; a later n8n may ship zod 4.
			displayName: 'zod4',
			moduleNameMapper: { '^zod$': 'zod4' },
			testMatch: [
				'<rootDir>/test/nodes/CallVerification/transport/{pipeline,response}.test.ts',
				'<rootDir>/test/nodes/CallVerification/contract/*.test.ts',
				'<rootDir>/test/nodes/CallVerification/{inbound,codes,run,operations}/**/*.test.ts',
			],
		},
		{
			...withProperties,
			...within(240, '<rootDir>/test/core/setup.ts'),
			// The built node in the engine of n8n.
			displayName: 'core',
			testMatch: ['<rootDir>/test/core/**/*.test.ts'],
		},
		{
			...withProperties,
			...within(240, '<rootDir>/test/core/setup.ts'),
			setupFiles: [...withProperties.setupFiles, '<rootDir>/test/core/asUcaller.ts'],
			// The same operations, trigger and Wait, with the names of the public service.
			displayName: 'ucaller',
			testMatch: ['<rootDir>/test/core/**/*.test.ts'],
			testPathIgnorePatterns: [`/test/core/(${IN_ANY_NAMES.join('|')})\\.test\\.ts$`],
		},
		{
			...withProperties,
			// Two lists of 5,000.
			...within(900, '<rootDir>/test/faults/setup.ts'),
			// The same, and everything that can go wrong between n8n and the service does.
			displayName: 'faults',
			testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
		},
		{
			...base,
			// Enough for a start of n8n on a busy machine.
			...within(400),
			// Real n8ns of both lines.
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/{e2e,harness}/**/*.test.ts'],
			globalSetup: '<rootDir>/test/e2e/globalSetup.ts',
			globalTeardown: '<rootDir>/test/e2e/globalTeardown.ts',
		},
		{
			...base,
			...within(600),
			// One n8n, spread over five processes.
			displayName: 'queue',
			testMatch: ['<rootDir>/test/queue/**/*.test.ts'],
			globalSetup: '<rootDir>/test/queue/globalSetup.ts',
			globalTeardown: '<rootDir>/test/queue/globalTeardown.ts',
		},
	],
	maxWorkers: 2,
	// Any process uses more, so each file gets a new one: jest leaves an AsyncLocalStorage behind for each, and in Node 20
	// every later promise pays for all of them. The last simulations took 416 s instead of 15.
	workerIdleMemoryLimit: '1MB',
	reporters: [
		'default',
		'<rootDir>/test/e2e/logReporter.ts',
		'<rootDir>/test/contract/coverageReporter.ts',
	],
};
