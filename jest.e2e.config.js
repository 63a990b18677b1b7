// The set-up and the reporter are TypeScript as well, and jest loads them without its transform.
require('./scripts/typescript.js');

/** Tests in a real n8n. Two files at a time: some only wait for n8n, whose timers tick once a minute. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: 'node',
	transform: {
		'\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json'],
	testMatch: ['<rootDir>/test/e2e/**/*.test.ts', '<rootDir>/test/real-n8n/**/*.test.ts'],
	globalSetup: '<rootDir>/test/e2e/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/globalTeardown.ts',
	reporters: ['default', '<rootDir>/test/e2e/logReporter.ts'],
	testTimeout: 120_000,
	maxWorkers: 2,
};
