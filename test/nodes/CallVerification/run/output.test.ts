import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { GiveUp } from '../../../../nodes/CallVerification/pacing/retry';
import {
	InputFields,
	logProgress,
	resultOutput,
	RunReport,
} from '../../../../nodes/CallVerification/run/output';
import { isKept } from '../memory';
import { VirtualClock } from '../../../virtualClock';

const NOTHING_STORED = { stored: 0, all: 0 };

const reportWith = (total: number, values: Partial<RunReport>) =>
	Object.assign(new RunReport(total), values);

describe('a run over files', () => {
	const rows = {
		rows: 2_000,
		cells: 2_000,
		valid: 1_500,
		invalid: 300,
		unreadable: 100,
		duplicates: 1,
		reused: 30,
		not_checked: 60,
		failed: 40,
	};

	it('is summed up by the rows of all files', () => {
		const report = reportWith(3, { cost: 975.1 });
		report.endItem(true);
		report.countNumbers(1_900);
		report.endFile(rows);
		report.endItem(false);
		expect(report.summary()).toBe(
			'2,000 rows, 1,500 valid, 300 invalid, 100 unreadable, 40 failed, 60 not checked, 30 reused, 1 duplicate, 1 file failed, total cost 975.1',
		);
		report.endFile({ ...rows, not_checked: 0 });
		expect(report.summary()).toMatch(/^4,000 rows in 2 files, 3,000 valid, .*, 60 not checked, /);
	});

	it('is summed up by the cells of several phone columns', () => {
		const report = new RunReport(1);
		report.endFile({ ...rows, cells: 4_000, valid: 3_500 });
		expect(report.summary()).toMatch(/^2,000 rows, 4,000 phone cells, 3,500 valid, /);
	});

	it('counts numbers instead of files, as soon as they are known', () => {
		const report = new RunReport(2);
		report.countNumbers(10);
		report.done = 4;
		report.endItem(false);
		report.countNumbers(20);
		expect(report.total).toBe(30);
		expect(report.progress(2_000)).toBe('4 of 30 numbers done, 2.0 per second, about 13 s left');
	});

	it('is a warning if rows have no result', () => {
		const gaps = { ...rows, failed: 0 };
		const warningFor = (...files: Array<typeof rows>) => {
			const report = new RunReport(1);
			files.forEach((file) => report.endFile(file));
			return report.isWarning;
		};
		expect(warningFor(gaps)).toBe(true);
		expect(warningFor({ ...gaps, not_checked: 0 })).toBe(false);
	});

	it('is a warning if files failed, and numbers', () => {
		const report = new RunReport(2);
		report.endItem(true);
		report.countNumbers(1);
		expect(report.isWarning).toBe(true);
		report.failed = 1;
		expect(report.isWarning).toBe(true);
	});

	it('is worth a summary, even of a single number', () => {
		const report = new RunReport(1);
		report.countNumbers(1);
		expect(report.isWorthSaying).toBe(false);
		report.endFile({ ...rows, rows: 1 });
		expect(report.isWorthSaying).toBe(true);
	});
});

describe('the summary of a run', () => {
	it('names what happened, and nothing that did not', () => {
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
			'9,950 of 10,000 items done, 50 failed, 150 invalid, 200 duplicate requests avoided, total cost 975.1, 12 retries',
		);
	});

	it('names a single retry as one', () => {
		expect(reportWith(2, { done: 2, retries: 1 }).summary()).toBe('2 of 2 items done, 1 retry');
	});

	it('says first that everything failed', () => {
		expect(reportWith(300, { done: 300, failed: 300, retries: 4 }).summary()).toBe(
			'All 300 items failed, 4 retries',
		);
	});

	it('says what an earlier attempt had paid for', () => {
		expect(reportWith(3, { done: 3, reused: 2, cost: 1.5 }).summary()).toBe(
			'3 of 3 items done, 2 already paid for, total cost 1.5',
		);
		expect(reportWith(3, { done: 3, reused: 2 }).summary()).toBe(
			'3 of 3 items done, 2 from an earlier try',
		);
	});

	it('does not claim to know what was charged when it does not', () => {
		expect(reportWith(3, { done: 3, cost: 1.5, possibleCost: 2, unknownCosts: 1 }).summary()).toBe(
			'3 of 3 items done, total cost at least 1.5, perhaps 2, 1 request without a readable price',
		);
		expect(reportWith(3, { done: 3, unknownCosts: 3 }).summary()).toBe(
			'3 of 3 items done, 3 requests without a readable price',
		);
		expect(
			reportWith(5, {
				done: 3,
				failed: 1,
				cost: 1,
				possibleCost: 2,
				unknownCosts: 1,
			}).doneBefore(NOTHING_STORED),
		).toBe('2 of 5 items had already succeeded, at a cost of at least 1, perhaps 2.');
	});

	it('adds prices without rounding errors', () => {
		expect(reportWith(3, { done: 3, cost: 0.1 + 0.2 }).summary()).toContain('total cost 0.3');
	});
});

describe('what an error says about the rest of the run', () => {
	it('is how much was done and paid before', () => {
		expect(reportWith(5, { done: 3, failed: 1, cost: 1 }).doneBefore(NOTHING_STORED)).toBe(
			'2 of 5 items had already succeeded, at a cost of 1.',
		);
		expect(reportWith(5, { done: 3, failed: 1 }).doneBefore(NOTHING_STORED)).toBe(
			'2 of 5 items had already succeeded.',
		);
	});

	it('mentions n8n’s Retry where that does not pay again', () => {
		expect(reportWith(5, { done: 3, failed: 1, cost: 1 }).doneBefore({ stored: 2, all: 2 })).toBe(
			'2 of 5 items had already succeeded, at a cost of 1. Retrying this execution does not pay for them again.',
		);
	});

	it('mentions what n8n’s Retry does not request again, if it costs nothing', () => {
		expect(reportWith(5, { done: 4, failed: 1 }).doneBefore({ stored: 2, all: 3 })).toBe(
			'3 of 5 items had already succeeded. Retrying this execution does not request 2 of the 3 results again.',
		);
	});

	it('is nothing when nothing was done', () => {
		expect(reportWith(5, { done: 1, failed: 1 }).doneBefore(NOTHING_STORED)).toBe('');
	});
});

describe('the progress of a long run', () => {
	/** Of a process that has been running for a while. */
	function logged() {
		const clock = new VirtualClock(60_000);
		const lines: string[] = [];
		const report = new RunReport(100);
		const giveUp = new GiveUp(clock, 300_000);
		const context = {
			getNode: () => ({ name: 'Check numbers' }),
			logger: { info: (line: string) => lines.push(line) },
		} as unknown as IExecuteFunctions;
		const end = logProgress(context, { clock, report, giveUp });
		return { clock, report, giveUp, lines, end };
	}

	it('goes to the log every 10 seconds, until the run ends', async () => {
		const { clock, report, giveUp, lines, end } = logged();
		Object.assign(report, { done: 20 });
		await clock.advance(10_000);
		Object.assign(report, { done: 40, failed: 10 });
		giveUp.sent();
		await clock.advance(10_000);
		giveUp.observe({ kind: 'ok' });
		await clock.advance(10_000);
		end();
		await clock.advance(60_000);
		expect(lines).toEqual([
			'Check numbers: 20 of 100 items done, 2.0 per second, about 40 s left',
			'Check numbers: 30 of 100 items done, 10 failed, no response for 10 s, giving up in 290 s',
			'Check numbers: 30 of 100 items done, 10 failed, 1.3 per second, about 45 s left',
		]);
	});

	it('keeps nothing of a run that has ended, although its timer still runs', async () => {
		const clock = new VirtualClock();
		const run = () => {
			const context = {} as unknown as IExecuteFunctions;
			const giveUp = new GiveUp(clock, 300_000);
			logProgress(context, { clock, report: new RunReport(1), giveUp })();
			return new WeakRef<object>(context);
		};
		expect(await isKept(run())).toBe(false);
	});

	it('is not logged once the run has given up, because the rest is about to fail', async () => {
		const { clock, giveUp, lines } = logged();
		giveUp.reason = { kind: 'refusesAll', error: undefined, times: 1 };
		await clock.advance(10_000);
		expect(lines).toEqual([]);
	});

	it.each([
		[999, '0 of 100 items done'],
		[1_000, '0 of 100 items done, no response for 1 s, giving up in 9 s'],
	])('says after %i ms that there is no response: %s', (forMs, line) => {
		expect(new RunReport(100).progress(20_000, { forMs, leftMs: 9_000 })).toBe(line);
	});

	it('predicts nothing before the first item is done', () => {
		expect(new RunReport(1_000).progress(20_000)).toBe('0 of 1,000 items done');
	});
});

describe('an output', () => {
	const operation = {
		output: { count: { type: 'number', meaning: 'how many' } },
		moreOutput: ['late'],
	} as const;
	const inputOf = (...items: object[]) =>
		new InputFields(items.map((json) => ({ json: json as IDataObject })));

	it.each([
		['words', { count: 1, reason: 'words' }],
		[false, { count: 1 }],
	])('has the error %j of the service as its reason, if it is one', (error, output) => {
		const input = { isTool: false, inputFields: inputOf({}) };
		const result = { count: 1, error };
		expect(resultOutput(result, 0, { operation, parameters: {} }, input)).toEqual(output);
	});

	it.each(['count', 'late', 'error', 'message'])(
		'never has the input field %s under that name, even if the result has none',
		(name) => {
			const output = inputOf({ [name]: 'mine' }).beside({}, 0, operation);
			expect(output).toEqual({ [`input_${name}`]: 'mine' });
		},
	);

	it('reads the names of the input once, however long the list', () => {
		const input = inputOf({ a: 1 }, { b: 2 });
		expect([...input.columns]).toEqual(['a', 'b']);
		expect(input.columns).toBe(input.columns);
	});
});
