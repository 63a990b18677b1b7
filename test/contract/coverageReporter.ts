import { relative } from 'node:path';

import type { AggregatedResult, Config, Reporter, TestContext, TestResult } from '@jest/reporters';

import { citationProblems, claims } from './claims';
import { contractRows, coverageProblems } from './coverage';

/** Then the tests that only n8n 2.x has are missing. */
const ONLY_1X = process.env.E2E_LINE === '1.x';

/** The projects that `npm test` runs in full. */
const PROJECTS = ['unit', 'core'];

/** Fails a run if a row of the service contract has no test, or if a claim of the documentation names one that does not exist. */
export default class CoverageReporter implements Pick<Reporter, 'onRunComplete' | 'getLastError'> {
	private problem: Error | undefined;

	constructor(private readonly config: Config.GlobalConfig) {}

	onRunComplete(contexts: Set<TestContext>, { testResults }: AggregatedResult): void {
		const problems = [
			...this.missingRows(contexts, testResults),
			...this.missingTests(testResults),
		];
		if (problems.length === 0) return;
		this.problem = new Error(problems.join('\n'));
		console.error(`\n${this.problem.message}\n`);
	}

	getLastError(): Error | undefined {
		return this.problem;
	}

	private missingRows(contexts: Set<TestContext>, files: readonly TestResult[]): string[] {
		const projects = [...contexts].map(({ config }) => config.displayName?.name ?? '');
		if (this.isPartial() || !PROJECTS.every((name) => projects.includes(name))) return [];
		return coverageProblems(
			contractRows(),
			files.flatMap((file) => titlesOf(file, ['passed'])),
		);
	}

	/** In the files that were run. */
	private missingTests(files: readonly TestResult[]): string[] {
		if (this.config.testNamePattern || ONLY_1X) return [];
		return citationProblems(claims(), (cited) => {
			const isCited = ({ testFilePath }: TestResult) =>
				relative(this.config.rootDir, testFilePath) === cited;
			const found = files.filter(isCited);
			// What the machine cannot run is skipped, and a failed test fails the run anyway.
			return found.length > 0
				? found.flatMap((file) => titlesOf(file, ['passed', 'pending', 'failed']))
				: undefined;
		});
	}

	private isPartial(): boolean {
		const { nonFlagArgs, onlyChanged, shard, testNamePattern, testPathPatterns } = this.config;
		const isNarrowed = nonFlagArgs.length > 0 || testPathPatterns.isSet();
		return isNarrowed || onlyChanged || shard !== undefined || Boolean(testNamePattern);
	}
}

function titlesOf({ testResults }: TestResult, statuses: readonly string[]): string[] {
	return testResults
		.filter(({ status }) => statuses.includes(status))
		.map(({ fullName }) => fullName);
}
