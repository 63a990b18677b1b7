// Set-ups and the reporter are TypeScript as well, and jest loads them without its transform.
require('./scripts/typescript.js');

// One seed for a whole run; each line of the report shows it.
for (const name of ['FAULT_SEED', 'QUEUE_SEED']) {
	process.env[name] ||= String(Math.floor(Math.random() * 2 ** 32));
}

/** @type {import('jest').Config} */
const base = {
	rootDir: __dirname,
	testEnvironment: '<rootDir>/test/fileEnvironment.ts',
	transform: {
		'\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	// Without these, jest lists every file of node_modules and dist, once for each project.
	roots: ['bench', 'credentials', 'emulator', 'harness', 'nodes', 'scripts', 'test'].map(
		(folder) => `<rootDir>/${folder}`,
	),
};
const withProperties = { ...base, setupFiles: ['<rootDir>/test/properties.ts'] };

/** How long a test may take before it counts as hanging; a busy machine takes its time. */
const within = (seconds, ...setup) => ({
	globals: { TEST_TIMEOUT: seconds * 1_000 },
	setupFilesAfterEnv: ['<rootDir>/test/timeout.ts', ...setup],
});

/** Tests in n8n's engine for which it makes a difference how the service names its fields. */
const IN_OTHER_NAMES = ['emulator', 'inboundWait', 'operations', 'outputs', 'requests', 'trigger'];

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
			// The rooms that use it, without the slow tests that do not.
			testMatch: [
				'<rootDir>/test/nodes/CallVerification/{contract,transport,run,operations}/**/!(hostileText|redact).test.ts',
				'<rootDir>/test/nodes/CallVerification/inbound/!(callbackSeal|ipAllowlist).test.ts',
			],
		},
		{
			...withProperties,
			...within(240, '<rootDir>/test/core/setup.ts'),
			globalSetup: '<rootDir>/test/freshDist.ts',
			// The built node in the engine of n8n.
			displayName: 'core',
			testMatch: ['<rootDir>/test/core/**/*.test.ts'],
		},
		{
			...withProperties,
			...within(240, '<rootDir>/test/core/setup.ts'),
			setupFiles: [...withProperties.setupFiles, '<rootDir>/test/core/asUcaller.ts'],
			globalSetup: '<rootDir>/test/freshDist.ts',
			// The same operations, trigger and Wait, with the names of the public service.
			displayName: 'ucaller',
			testMatch: [`<rootDir>/test/core/{${IN_OTHER_NAMES.join()}}.test.ts`],
		},
		{
			...withProperties,
			// Two long lists.
			...within(900, '<rootDir>/test/faults/setup.ts'),
			globalSetup: '<rootDir>/test/freshDist.ts',
			// The same, and everything that can go wrong between n8n and the service does.
			displayName: 'faults',
			testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
		},
		{
			...base,
			// Enough to start n8n and run a list on a busy machine.
			...within(900),
			// Real n8ns of both lines.
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/{e2e,harness}/**/*.test.ts'],
			globalSetup: '<rootDir>/test/e2e/globalSetup.ts',
			globalTeardown: '<rootDir>/test/e2e/globalTeardown.ts',
		},
		{
			...base,
			// 220 executions one after the other, and two starts of n8n.
			...within(1_800),
			// One n8n, spread over five processes.
			displayName: 'queue',
			testMatch: ['<rootDir>/test/queue/**/*.test.ts'],
		},
	],
	maxWorkers: 2,
	testSequencer: '<rootDir>/test/longestFirst.ts',
	// What jest keeps of each file adds up.
	workerIdleMemoryLimit: '1GB',
	reporters: [
		'default',
		'<rootDir>/test/e2e/logReporter.ts',
		'<rootDir>/test/contract/coverageReporter.ts',
	],
};
