/** @type {import('jest').Config} */
const base = {
	rootDir: __dirname,
	testEnvironment: 'node',
	transform: {
		'\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist/package.json'],
};

module.exports = {
	projects: [
		{
			...base,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/nodes/**/*.test.ts', '<rootDir>/test/credentials/**/*.test.ts'],
		},
	],
};
