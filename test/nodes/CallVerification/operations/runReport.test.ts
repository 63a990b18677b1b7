import type { NodeRun } from '../../../../nodes/CallVerification/operations/nodeRun';
import { createProgress } from '../../../../nodes/CallVerification/operations/progress';
import { RunReport } from '../../../../nodes/CallVerification/operations/runReport';

const reportWith = (total: number, values: Partial<RunReport>) =>
	Object.assign(new RunReport(total), values);

describe('the summary of a run', () => {
	it('names what there was, and nothing that there was not', () => {
		expect(reportWith(2, { done: 2 }).summary()).toBe('2 of 2 items done');
		expect(
			reportWith(10_000, {
				done: 10_000,
				failed: 50,
				invalid: 150,
				duplicates: 200,
				cost: 975.1,
				retries: 12,
			}).summary(),
		).toBe(
			'9,950 of 10,000 items done, 50 failed, 150 invalid, 200 requests saved by duplicates, total cost 975.1, 12 retries',
		);
	});

	it('adds prices without a tail of rounding', () => {
		expect(reportWith(3, { done: 3, cost: 0.1 + 0.2 }).summary()).toContain('total cost 0.3');
	});
});

describe('what an error says about the rest of the run', () => {
	it('is how much was done and paid before', () => {
		expect(reportWith(5, { done: 3, failed: 1, cost: 1 }).doneBefore()).toBe(
			'2 of 5 items were done before at a cost of 1.',
		);
		expect(reportWith(5, { done: 3, failed: 1 }).doneBefore()).toBe(
			'2 of 5 items were done before.',
		);
	});

	it('is nothing when nothing was done', () => {
		expect(reportWith(5, { done: 1, failed: 1 }).doneBefore()).toBe('');
	});
});

describe('the progress of a long run', () => {
	it('goes to the log and to the browser every 10 seconds', () => {
		let now = 0;
		const lines: string[] = [];
		const messages: string[] = [];
		const report = new RunReport(100);
		const run = {
			clock: { now: () => now, sleep: async () => {} },
			report,
			context: {
				getNode: () => ({ name: 'Check numbers' }),
				logger: { info: (line: string) => lines.push(line) },
				sendMessageToUI: (line: string) => messages.push(line),
			},
		} as unknown as NodeRun;
		const progress = createProgress(run);
		for (const [time, done] of [
			[9_999, 10],
			[10_000, 20],
			[19_999, 30],
			[20_000, 40],
		] as const) {
			now = time;
			report.done = done;
			progress();
		}
		expect(lines).toEqual([
			'Check numbers: 20 of 100 items done, 2.0 per second, about 40 s left',
			'Check numbers: 40 of 100 items done, 2.0 per second, about 30 s left',
		]);
		expect(messages).toEqual(lines);
	});
});
