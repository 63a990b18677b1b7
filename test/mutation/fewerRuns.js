const { default: fc } = require('all-runs/fast-check');

/** Thousands of mutants meet each property, so each is tried on fewer values than in an ordinary run. */
const MOST_RUNS = 15;

module.exports = {
	__esModule: true,
	default: {
		...fc,
		assert: (property, parameters) =>
			fc.assert(property, {
				...parameters,
				// The same values each time: what kills a mutant once must kill it again.
				seed: 1,
				numRuns: Math.min(MOST_RUNS, parameters?.numRuns ?? MOST_RUNS),
			}),
	},
};
