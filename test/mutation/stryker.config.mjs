import { readdirSync } from 'node:fs';

/** Below nodes/CallVerification, a folder or a file: `cli.ts` runs Stryker once for each. */
const part = process.env.MUTATED ?? '';

/** Too slow to run for each mutant, or loaded in a way of their own. */
const LEFT_OUT =
	/simulatedLimits|contributing|hostileText|marketingWeek|olderN8n|oneDigit|outages|core.docs/;
/** Slow as well, and the only tests of this. */
const isOfLimit = /^pacing.(?:limit|quota)/.test(part);

/** Quick, from the sources, and the only tests of names, choices and defaults: what the editor and the docs say of them. */
const OF_THE_PACKAGE = ['strings', 'docs/referenceTables'].map(
	(name) => `test/package/${name}.test.ts`,
);

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: [`nodes/CallVerification/${part.includes('.ts') ? part : `${part}/**/*.ts`}`],
	plugins: ['./test/mutation/warmRunner.mjs'],
	testRunner: 'warm',
	warm: {
		files: ['test/nodes', 'test/credentials', 'test/core']
			.flatMap((folder) =>
				readdirSync(folder, { recursive: true })
					.map((file) => `${folder}/${file}`)
					.filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
					.filter((file) => isOfLimit || !file.includes('adaptiveLimit')),
			)
			.concat(OF_THE_PACKAGE),
		/** Before others that are not of the mutant's own room, or the time would be over: nearly all of those load it. */
		first: OF_THE_PACKAGE,
		/** Slower tests do not run for each mutant, either. In milliseconds. */
		slow: isOfLimit ? 3_000 : 300,
		/** Of computing for a mutant, after which no other file is tried. In milliseconds. */
		most: isOfLimit ? 60_000 : 8_000,
	},
	warnings: { unknownOptions: false },
	ignorers: ['texts'],
	concurrency: Number(process.env.CONCURRENCY ?? 2),
	// A busy machine takes its time; most endless loops end earlier, by their count.
	timeoutMS: 8_000,
	dryRunTimeoutMinutes: 20,
	ignorePatterns: ['dist'],
	reporters: ['progress', 'json'],
	jsonReporter: { fileName: 'reports/mutation.json' },
};
