const { projects } = require('./jest.config.js');

// One seed for all files; each line of the report shows it.
process.env.FAULT_SEED ||= String(Math.floor(Math.random() * 2 ** 32));

const core = projects.find(({ displayName }) => displayName === 'core');

/** @type {import('jest').Config} */
module.exports = {
	...core,
	displayName: 'faults',
	setupFilesAfterEnv: ['<rootDir>/test/faults/setup.ts'],
	testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
	// Two lists of 10,000 that meet every kind of trouble; what hangs must end all the same.
	testTimeout: 900_000,
	maxWorkers: 2,
};
