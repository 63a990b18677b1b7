import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { performance } from 'node:perf_hooks';

import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
	determineHitLimitReached,
	DryRunStatus,
	TestStatus,
	toMutantRunResult,
} from '@stryker-mutator/api/test-runner';

const require = createRequire(import.meta.url);

/** What runs before a test stands under this name until its file is done. */
const BEFORE = 'before';

/** Stands between a file and the name of a test. */
const NAME = ' > ';

/** In Stryker's copy of the project. Only one of its processes makes the first run, and tells the others by this. */
const TIMES = 'times.json';

/** Has Stryker run the tests in a process that stays warm (`warmProcess.js`). */
class WarmRunner {
	static inject = tokens(commonTokens.options);

	constructor({ warm }) {
		this.warm = warm;
		this.slow = warm.slow;
		/** By file, in milliseconds. */
		this.took = new Map();
		/** Mutants that a file has noticed: it may well notice the next one, too. */
		this.noticed = new Map();
		this.stryker = globalThis.__stryker__ ??= {};
	}

	capabilities() {
		return { reloadEnvironment: true };
	}

	init() {
		this.process = require('./warmProcess.js');
		this.process.prepare();
	}

	async dryRun() {
		const startedAt = performance.now();
		const tests = [];
		const perTest = {};
		this.stryker.mutantCoverage = { static: {}, perTest };
		for (const file of this.warm.files) {
			const ran = await this.run(file);
			tests.push(...ran);
			// What runs as the file is loaded, or in a hook, may decide each of its tests.
			for (const { id } of ran) perTest[id] = added(perTest[id], perTest[BEFORE]);
			delete perTest[BEFORE];
		}
		// On a busy machine, all of them take longer.
		const { user, system } = process.cpuUsage();
		this.slow = Math.max(
			this.warm.slow,
			(this.warm.slow * (performance.now() - startedAt)) / ((user + system) / 1_000),
		);
		for (const { id, fileName, timeSpentMs } of tests) {
			if (timeSpentMs > this.slow) delete perTest[id];
			else this.took.set(fileName, (this.took.get(fileName) ?? 0) + timeSpentMs);
		}
		writeFileSync(TIMES, JSON.stringify([...this.took]));
		return { status: DryRunStatus.Complete, tests, mutantCoverage: this.stryker.mutantCoverage };
	}

	async mutantRun({ activeMutant, sandboxFileName, testFilter = [], hitLimit, disableBail }) {
		if (this.took.size === 0) this.took = new Map(JSON.parse(readFileSync(TIMES, 'utf8')));
		Object.assign(this.stryker, { activeMutant: activeMutant.id, hitLimit, hitCount: 0 });
		const ownTests = `test/${dirname(relative(process.cwd(), sandboxFileName))}/`;
		const rank = (file) =>
			file.startsWith(ownTests) || this.warm.first.includes(file)
				? 0
				: (1 + (this.took.get(file) ?? 0)) / (1 + (this.noticed.get(file) ?? 0));
		const files = [...new Set(testFilter.map((id) => id.split(NAME)[0]))];
		const tests = [];
		const before = process.cpuUsage();
		for (const file of files.sort((one, other) => rank(one) - rank(other))) {
			tests.push(...(await this.run(file, new Set(testFilter))));
			if (tests.some(({ status }) => status === TestStatus.Failed)) {
				this.noticed.set(file, (this.noticed.get(file) ?? 0) + 1);
				break;
			}
			const { user, system } = process.cpuUsage(before);
			if ((user + system) / 1_000 > this.warm.most) break;
		}
		this.stryker.activeMutant = undefined;
		const result = determineHitLimitReached(this.stryker.hitCount, hitLimit);
		return toMutantRunResult(result ?? { status: DryRunStatus.Complete, tests }, disableBail);
	}

	/** All tests of a file, or some, until the first that fails. */
	async run(file, chosen) {
		this.stryker.currentTestId = BEFORE;
		const idOf = (name) => `${file}${NAME}${name}`;
		const tests = await this.process.runFile(file, {
			isChosen: (name) => chosen?.has(idOf(name)) ?? true,
			onStart: (name) => (this.stryker.currentTestId = idOf(name)),
			onDone: () => (this.stryker.currentTestId = BEFORE),
			endWithFailure: chosen !== undefined,
			// A mutant may make a test wait forever.
			timeout: chosen === undefined ? 120_000 : 10 * this.slow,
		});
		this.stryker.currentTestId = undefined;
		return tests.map(({ name, took, error }) => ({
			id: idOf(name),
			name,
			fileName: file,
			timeSpentMs: took,
			...(error === undefined
				? { status: TestStatus.Success }
				: { status: TestStatus.Failed, failureMessage: String(error?.stack ?? error) }),
		}));
	}
}

/** Hits by mutant. */
function added(some = {}, others = {}) {
	const all = { ...some };
	for (const [mutant, hits] of Object.entries(others)) all[mutant] = (all[mutant] ?? 0) + hits;
	return all;
}

/** Of a field of the node, or of an operation. */
const TEXTS = ['displayName', 'description', 'placeholder', 'action', 'builderHint'];

/** What people read is compared by tests of the whole package (test/package), most of which do not run here. */
class Texts {
	shouldIgnore({ node, parent }) {
		const parts = node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.raw) : [];
		if (node.type === 'StringLiteral') parts.push(node.value);
		const isSimple = node.expressions?.every(({ type }) => type === 'Identifier') ?? true;
		const isNamed = parent?.type === 'ObjectProperty' && TEXTS.includes(parent.key.name);
		const isText = isNamed || /\p{L}{2,},? \p{L}/u.test(parts.join('X'));
		return parts.length > 0 && isSimple && isText ? 'a text for people' : undefined;
	}
}

export const strykerPlugins = [
	declareClassPlugin(PluginKind.TestRunner, 'warm', WarmRunner),
	declareClassPlugin(PluginKind.Ignore, 'texts', Texts),
];
