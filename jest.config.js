/** @type {import('jest').Config} */
const base = {
	rootDir: __dirname,
	testEnvironment: 'node',
	setupFiles: ['<rootDir>/test/properties.ts'],
	transform: {
		'\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json'],
};

module.exports = {
	// Simulations and n8n-core itself take a while on a busy machine; what hangs is still found.
	testTimeout: 60_000,
	projects: [
		{
			...base,
			displayName: 'unit',
			testMatch: [
				'<rootDir>/test/nodes/**/*.test.ts',
				'<rootDir>/test/credentials/**/*.test.ts',
				'<rootDir>/test/package/**/*.test.ts',
				'<rootDir>/test/contract/**/*.test.ts',
				'<rootDir>/test/emulator/**/*.test.ts',
				'<rootDir>/test/bench/**/*.test.ts',
				'<rootDir>/test/load/**/*.test.ts',
			],
		},
		{
			...base,
			// n8n ships zod 3.25; a later n8n may ship zod 4.
			displayName: 'zod 4',
			moduleNameMapper: { '^zod$': 'zod4' },
			testMatch: [
				'<rootDir>/test/nodes/CallVerification/api/{answer,client,inboundEvent}.test.ts',
				'<rootDir>/test/nodes/CallVerification/api/contract/*.test.ts',
				'<rootDir>/test/nodes/CallVerification/operations/**/*.test.ts',
			],
		},
		{
			...base,
			// The built node in the engine of n8n.
			displayName: 'core',
			setupFilesAfterEnv: ['<rootDir>/test/core/setup.ts'],
			testMatch: ['<rootDir>/test/core/**/*.test.ts'],
		},
	],
};
