import type { Reporter, Test, TestResult } from '@jest/reporters';
import { startedN8ns } from './startedN8ns';

const LINES = 40;

/** If a test fails, prints n8n's log of its test file: the cause is often found only there. */
export default class LogReporter implements Pick<Reporter, 'onTestFileStart' | 'onTestFileResult'> {
	private readonly seen = new Map<string, number>();

	onTestFileStart(): void {
		for (const { url, log } of startedN8ns) this.seen.set(url, log().length);
	}

	onTestFileResult(_test: Test, { numFailingTests, testExecError }: TestResult): void {
		if (numFailingTests === 0 && !testExecError) return;
		for (const { url, version, log } of startedN8ns) {
			const printed = log()
				.slice(this.seen.get(url) ?? 0)
				.trim()
				.split('\n')
				.slice(-LINES);
			console.log(`n8n ${version} printed meanwhile:\n${printed.join('\n') || '(nothing)'}\n`);
		}
	}
}
