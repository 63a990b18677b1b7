// The set-up is TypeScript as well, and jest loads it without its transform.
require('./scripts/typescript.js');

// One seed for the whole run; each line of the report shows it.
process.env.QUEUE_SEED ||= String(Math.floor(Math.random() * 2 ** 32));

/** Tests in an n8n that is spread over five processes. */
module.exports = {
	rootDir: __dirname,
	testEnvironment: 'node',
	transform: {
		'\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json'],
	testMatch: ['<rootDir>/test/queue/**/*.test.ts'],
	globalSetup: '<rootDir>/test/queue/globalSetup.ts',
	globalTeardown: '<rootDir>/test/queue/globalTeardown.ts',
	// What hangs must end all the same.
	testTimeout: 600_000,
};
