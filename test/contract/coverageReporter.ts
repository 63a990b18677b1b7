import type { AggregatedResult, Config, Reporter, TestContext } from '@jest/reporters';

import { contractRows, coverageProblems } from './coverage';

/** `npm test` runs these, and all their tests. */
const PROJECTS = ['unit', 'core'];

/** Fails a whole run in which a row of the service's contract has no test. */
export default class CoverageReporter implements Pick<Reporter, 'onRunComplete' | 'getLastError'> {
	private problem: Error | undefined;

	constructor(private readonly config: Config.GlobalConfig) {}

	onRunComplete(contexts: Set<TestContext>, { testResults }: AggregatedResult): void {
		const projects = [...contexts].map(({ config }) => config.displayName?.name ?? '');
		if (this.isPartial() || !PROJECTS.every((name) => projects.includes(name))) return;
		const titles = testResults
			.flatMap((file) => file.testResults)
			.filter(({ status }) => status === 'passed')
			.map(({ fullName }) => fullName);
		const problems = coverageProblems(contractRows(), titles);
		if (problems.length === 0) return;
		this.problem = new Error(problems.join('\n'));
		console.error(`\n${this.problem.message}\n`);
	}

	getLastError(): Error | undefined {
		return this.problem;
	}

	private isPartial(): boolean {
		const { nonFlagArgs, onlyChanged, shard, testNamePattern, testPathPatterns } = this.config;
		const isNarrowed = nonFlagArgs.length > 0 || testPathPatterns.isSet();
		return isNarrowed || onlyChanged || shard !== undefined || Boolean(testNamePattern);
	}
}
