const { TestEnvironment } = require('jest-environment-node');

/** The mutant that a test has noticed last. */
let noticed;

/** One failure is enough to kill a mutant, and to describe a failure is most of what a short test costs. */
module.exports = class extends TestEnvironment {
	async handleTestEvent({ name, test }) {
		const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
		if (mutant === undefined) return;
		if (name === 'test_done' && test.errors.length > 0) noticed = mutant;
		if (name === 'test_start' && noticed === mutant) test.mode = 'skip';
	}
};
