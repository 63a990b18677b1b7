const { TestEnvironment } = require('jest-environment-node');

/** The last mutant that a test killed. */
let noticed;

/** One failure kills a mutant, and reporting a failure is most of a short test's cost. */
module.exports = class extends TestEnvironment {
	async handleTestEvent({ name, test }) {
		const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
		if (mutant === undefined) return;
		if (name === 'test_done' && test.errors.length > 0) noticed = mutant;
		if (name === 'test_start' && noticed === mutant) test.mode = 'skip';
	}
};
