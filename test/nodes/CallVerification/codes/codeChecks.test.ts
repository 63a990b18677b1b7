import fc from 'fast-check';

import { VirtualClock } from '../../../virtualClock';
import {
	type CodeCheck,
	CodeChecks,
	MOST_ENTRIES,
} from '../../../../nodes/CallVerification/codes/codeChecks';
import type { CountedAttempts } from '../../../../nodes/CallVerification/codes/processMemory';
import type { Clock } from '../../../../nodes/CallVerification/pacing/time';
import { ExpiringMap } from '../../../../nodes/CallVerification/pacing/expiringMap';
import { accountDigest } from '../../../../nodes/CallVerification/transport/credential';
import { contextOn, SharedRow, TurnClock } from './sharedRow';

const digest = accountDigest({
	baseUrl: 'https://service.test',
	secretKey: 'key',
	serviceId: '1',
});

const DAY = 24 * 60 * 60 * 1_000;

let rows = 0;

/** A separate process that uses this row; its own memory ends with it. */
function startProcess(
	row: SharedRow,
	nodeId = `node-${++rows}`,
	{
		clock = new VirtualClock(),
		countingSince = 0,
		remembered = 50_000,
	}: { clock?: Clock; countingSince?: number; remembered?: number } = {},
) {
	const counters = () => new ExpiringMap<CountedAttempts>(remembered);
	const process = { calls: counters(), days: counters(), countingSince };
	/** One execution, of this node or of another one, which has a row of its own. */
	return (pass = 0, memory = {}, isManual = false, another?: SharedRow) => {
		const node = another === undefined ? { row, nodeId } : { row: another, nodeId: 'another' };
		const context = contextOn(node.row, { nodeId: node.nodeId, memory, isManual });
		return new CodeChecks(context, digest, clock, () => 0, pass, process);
	};
}

const check = (typed: string, values: Partial<CodeCheck> = {}): CodeCheck => ({
	call: 'call',
	actual: '0042',
	typed,
	obstacle: undefined,
	maxAttempts: 5,
	phone: undefined,
	maxWrongPerDay: 20,
	startedAt: 0,
	expiresAt: Infinity,
	...values,
});

const guesses = (count: number) =>
	Array.from({ length: count }, (_none, index) => check(String(1_000 + index)));

const compared = (reasons: Array<string | null>) =>
	reasons.filter((reason) => reason === 'wrongCode' || reason === null).length;

async function guess(executions: Array<() => CodeChecks>, count: number): Promise<number> {
	const verdicts = guesses(count).map(async (one, index) => {
		const execution = executions[index % executions.length];
		return (await execution?.().check(one))?.reason ?? null;
	});
	return compared(await Promise.all(verdicts));
}

describe('guessing', () => {
	it('gets five attempts per process, however many come at the same moment', async () => {
		const execution = startProcess(new SharedRow());
		expect(await guess([() => execution()], 600)).toBe(5);
	});

	it('gets no more attempts after a restart', async () => {
		const row = new SharedRow();
		const before = startProcess(row, 'restarted');
		expect(await guess([() => before()], 3)).toBe(3);
		const after = startProcess(row, 'restarted');
		expect(await guess([() => after()], 600)).toBe(2);
	});

	it('gets at most W times five attempts in W processes, whatever the database does', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.boolean(), async (count, fails) => {
				const row = new SharedRow();
				row.fails = fails;
				const processes = Array.from({ length: count }, (_none, index) =>
					startProcess(row, `shared-${rows}-${index}`),
				);
				const executions = processes.map((start) => () => start());
				expect(await guess(executions, 100)).toBeLessThanOrEqual(5 * count);
			}),
			{ numRuns: 20 },
		);
	});

	it('gets five attempts in all where processes take turns', async () => {
		const row = new SharedRow();
		const processes = [startProcess(row, 'one'), startProcess(row, 'one')];
		let count = 0;
		for (const [index, one] of guesses(20).entries()) {
			const reason = (await processes[index % 2]?.().check(one))?.reason ?? null;
			count += compared([reason]);
		}
		expect(count).toBe(5);
	});

	it('shares the attempts of all nodes of a process, but a node of another process has its own', async () => {
		const [row, ofAnotherNode] = [new SharedRow(), new SharedRow()];
		const execution = startProcess(row);
		expect(await guess([() => execution()], 3)).toBe(3);
		expect(await guess([() => execution(0, {}, false, ofAnotherNode)], 100)).toBe(2);
		const elsewhere = startProcess(new SharedRow());
		expect(await guess([() => elsewhere()], 100)).toBe(5);
	});

	it('leaves no attempt once another process has used them up, and goes on leaving none', async () => {
		const row = new SharedRow();
		await guess([startProcess(row, 'first')], 5);
		const there = startProcess(row, 'second');
		for (const code of ['0042', '1111', '0042']) {
			const verdict = { reason: 'tooManyAttempts', attempts_left: 0 };
			expect(await there().check(check(code))).toEqual(verdict);
		}
	});

	it('gets five attempts while the store fails, and five more after a restart: a documented gap', async () => {
		const row = new SharedRow();
		row.fails = true;
		const before = startProcess(row);
		expect(await guess([() => before()], 100)).toBe(5);
		const after = startProcess(row);
		expect(await guess([() => after()], 100)).toBe(5);
	});

	it('is counted for all processes, as soon as the store works again', async () => {
		const row = new SharedRow();
		row.fails = true;
		const before = startProcess(row, 'works again');
		expect(await guess([() => before()], 3)).toBe(3);
		row.fails = false;
		expect(await guess([() => before()], 1)).toBe(1);
		const after = startProcess(row, 'works again');
		expect(await guess([() => after()], 20)).toBe(1);
	});

	it.each([
		['as long as its code is valid', Infinity, 2 * DAY],
		['for a day at least, because another node may accept older codes', 10 * 60_000, DAY - 1],
	])('is remembered without the row %s', async (_what, validFor, later) => {
		const clock = new VirtualClock();
		const row = new SharedRow();
		const execution = startProcess(row, undefined, { clock });
		for (const one of guesses(5)) {
			await execution().check({ ...one, expiresAt: clock.wallTime() + validFor });
		}
		clock.spend(later);
		await execution().check(check('1111', { call: 'another' }));
		row.entries = [];
		expect((await execution().check(check('0042'))).reason).toBe('tooManyAttempts');
	});
});

describe('guessing over many calls to one number', () => {
	let call = 0;
	/** A new call to the number, with five attempts of its own. */
	const ofNumber = (typed: string, values: Partial<CodeCheck> = {}) =>
		check(typed, { call: `call ${++call}`, phone: 'number', ...values });
	const wrongCodes = async (execution: () => CodeChecks, count: number, values = {}) => {
		const reasons = [];
		for (let time = 0; time < count; time++) {
			reasons.push((await execution().check(ofNumber('1111', values))).reason);
		}
		return reasons;
	};

	it('gets 20 wrong codes a day, and then not even the right one counts', async () => {
		const execution = startProcess(new SharedRow());
		const reasons = await wrongCodes(() => execution(), 25);
		expect(reasons.filter((reason) => reason === 'wrongCode')).toHaveLength(20);
		expect(reasons.slice(20)).toEqual(Array(5).fill('tooManyToday'));
		expect(await execution().check(ofNumber('0042'))).toEqual({
			reason: 'tooManyToday',
			attempts_left: 0,
		});
		// Another number is not affected, nor is a check that does not know the number.
		expect((await execution().check(ofNumber('0042', { phone: 'other' }))).reason).toBeNull();
		expect((await execution().check(ofNumber('0042', { phone: undefined }))).reason).toBeNull();
	});

	it('gets no extra ones by guessing at the same moment, even while the store fails', async () => {
		for (const fails of [false, true]) {
			const row = new SharedRow();
			row.fails = fails;
			const execution = startProcess(row);
			const checks = Array.from({ length: 200 }, async (_none, index) => {
				return (await execution().check(ofNumber(String(1_000 + index)))).reason;
			});
			expect([fails, compared(await Promise.all(checks))]).toEqual([fails, 20]);
		}
	});

	it('gets no more after a restart, nor from another process', async () => {
		const row = new SharedRow();
		const before = startProcess(row, 'day');
		await wrongCodes(() => before(), 15);
		const after = startProcess(row, 'day');
		const reasons = await wrongCodes(() => after(), 10);
		expect(reasons.filter((reason) => reason === 'wrongCode')).toHaveLength(5);
		expect((await after().check(ofNumber('0042'))).reason).toBe('tooManyToday');
		const beside = startProcess(row, 'day');
		for (const code of ['0042', '1111']) {
			const verdict = { reason: 'tooManyToday', attempts_left: 0 };
			expect(await beside().check(ofNumber(code))).toEqual(verdict);
		}
	});

	it('starts again with the next day in UTC', async () => {
		const clock = new VirtualClock();
		const execution = startProcess(new SharedRow(), undefined, { clock });
		await wrongCodes(() => execution(), 20);
		clock.spend(DAY - 1);
		expect((await execution().check(ofNumber('0042'))).reason).toBe('tooManyToday');
		clock.spend(1);
		expect((await execution().check(ofNumber('0042'))).reason).toBeNull();
	});

	it('is remembered however many codes of other calls never expire', async () => {
		const row = new SharedRow();
		const execution = startProcess(row, undefined, { remembered: 10 });
		await wrongCodes(() => execution(), 20);
		for (let other = 0; other < 30; other++) {
			await execution().check(check('1111', { call: `other-${other}` }));
		}
		// What other numbers of the same node do makes room in the row, too.
		row.entries = [];
		expect((await execution().check(ofNumber('0042'))).reason).toBe('tooManyToday');
	});

	it('is remembered all day, whatever other numbers do', async () => {
		const clock = new VirtualClock();
		const row = new SharedRow();
		const execution = startProcess(row, undefined, { clock });
		await wrongCodes(() => execution(), 20);
		clock.spend(DAY - 1);
		await wrongCodes(() => execution(), 1, { phone: 'other' });
		row.entries = [];
		expect((await execution().check(ofNumber('0042'))).reason).toBe('tooManyToday');
	});

	it.each([
		['when it is 0', { maxWrongPerDay: 0 }],
		['when the number is unknown', { phone: undefined }],
	])('has no limit %s, and is counted for no other check', async (_what, values) => {
		const execution = startProcess(new SharedRow());
		const reasons = await wrongCodes(() => execution(), 30, values);
		expect(reasons).toEqual(Array(30).fill('wrongCode'));
		expect(await wrongCodes(() => execution(), 20)).toEqual(Array(20).fill('wrongCode'));
	});

	it('is given no wrong code back by a call whose attempts another process has used up', async () => {
		const row = new SharedRow();
		const limits = { maxAttempts: 1, maxWrongPerDay: 2 };
		const call = ofNumber('1111', limits);
		const [here, there] = [startProcess(row, 'given back'), startProcess(row, 'given back')];
		expect((await here().check(call)).reason).toBe('wrongCode');
		expect((await there().check(call)).reason).toBe('tooManyAttempts');
		const after = startProcess(row, 'given back');
		expect(await wrongCodes(() => after(), 2, limits)).toEqual(['wrongCode', 'tooManyToday']);
	});

	it('does not count codes that are right, used or expired, here and in the store', async () => {
		const row = new SharedRow();
		const execution = startProcess(row, 'honest');
		for (let time = 0; time < 30; time++) {
			const right = ofNumber('0042');
			expect((await execution().check(right)).reason).toBeNull();
			expect((await execution().check({ ...right, typed: '1111' })).reason).toBe('alreadyUsed');
			await execution().check(ofNumber('1111', { obstacle: 'expired' }));
		}
		expect(await wrongCodes(() => execution(), 20)).toEqual(Array(20).fill('wrongCode'));
		const after = startProcess(row, 'honest');
		expect(await wrongCodes(() => after(), 1)).toEqual(['tooManyToday']);
	});

	it('does not count a code that another process has used up', async () => {
		const row = new SharedRow();
		const [here, there] = [startProcess(row, 'both'), startProcess(row, 'both')];
		for (let time = 0; time < 25; time++) {
			const right = ofNumber('0042');
			expect((await here().check(right)).reason).toBeNull();
			expect((await there().check(right)).reason).toBe('alreadyUsed');
		}
		expect((await there().check(ofNumber('1111'))).attempts_left).toBe(4);
	});

	it('is told how many codes are left, for the call or for the day', async () => {
		const execution = startProcess(new SharedRow());
		await wrongCodes(() => execution(), 17);
		const three = ofNumber('1111');
		expect((await execution().check(three)).attempts_left).toBe(2);
		expect((await execution().check(ofNumber('0042', { maxAttempts: 0 }))).attempts_left).toBe(2);
		expect((await execution().check(ofNumber('0042', { maxAttempts: 1 }))).attempts_left).toBe(0);
	});

	it('costs nothing when n8n runs it again', async () => {
		const execution = startProcess(new SharedRow());
		const memory = {};
		const wrong = ofNumber('1111');
		for (let time = 0; time < 25; time++) await execution(0, memory).check(wrong);
		expect((await execution().check(ofNumber('1111', { maxAttempts: 0 }))).attempts_left).toBe(18);
	});

	it('is neither limited nor counted in manual runs', async () => {
		const execution = startProcess(new SharedRow());
		expect(await wrongCodes(() => execution(0, {}, true), 25)).toEqual(Array(25).fill('wrongCode'));
		expect(await wrongCodes(() => execution(), 20)).toEqual(Array(20).fill('wrongCode'));
		expect((await execution(0, {}, true).check(ofNumber('0042'))).reason).toBeNull();
	});

	it.each([
		[5, 5],
		[0, null],
	])('always leaves all attempts of %i in manual runs', async (maxAttempts, attempts_left) => {
		const execution = startProcess(new SharedRow());
		const verdict = await execution(0, {}, true).check(ofNumber('1111', { maxAttempts }));
		expect(verdict).toEqual({ reason: 'wrongCode', attempts_left });
	});
});

describe('a restart with a full row, which may have lost attempts', () => {
	const fullRow = () => {
		const row = new SharedRow();
		row.entries = Array.from({ length: MOST_ENTRIES }, (_none, index) => index);
		return row;
	};

	it.each([
		['older than the process', { startedAt: 999 }, 'expired'],
		['of unknown age', { startedAt: undefined }, 'expired'],
		['younger than the process', { startedAt: 1_000 }, null],
	])('refuses a call that is %s', async (_what, values, reason) => {
		const execution = startProcess(fullRow(), undefined, { countingSince: 1_000 });
		expect((await execution().check(check('0042', values))).reason).toBe(reason);
	});

	it('refuses such a call however many guesses come at the same moment, and counts none', async () => {
		const execution = startProcess(fullRow(), undefined, { countingSince: 1_000 });
		expect(await guess([() => execution()], 100)).toBe(0);
		expect((await execution().check(check('0042'))).attempts_left).toBe(5);
	});

	it('accepts older calls while the row has room, or cannot be read', async () => {
		const row = fullRow();
		row.entries.pop();
		const execution = startProcess(row, undefined, { countingSince: 1_000 });
		expect((await execution().check(check('0042'))).reason).toBeNull();
		const failing = fullRow();
		failing.fails = true;
		const alone = startProcess(failing, undefined, { countingSince: 1_000 });
		expect((await alone().check(check('0042'))).reason).toBeNull();
	});
});

describe('a code that has matched', () => {
	it('is used up here, in another process and after a restart', async () => {
		const row = new SharedRow();
		const here = startProcess(row, 'used');
		expect(await here().check(check('0042'))).toEqual({ reason: null, attempts_left: 4 });
		const there = startProcess(row, 'used');
		for (const [process, code] of [
			[here, '0042'],
			[here, '1111'],
			[there, '1111'],
			[there, '0042'],
		] as const) {
			expect((await process().check(check(code))).reason).toBe('alreadyUsed');
		}
	});

	it('stays used up where another process was first, even while the store fails', async () => {
		const row = new SharedRow();
		const [first, second] = [startProcess(row, 'first'), startProcess(row, 'second')];
		expect((await first().check(check('0042'))).reason).toBeNull();
		expect((await second().check(check('0042'))).reason).toBe('alreadyUsed');
		row.fails = true;
		expect((await second().check(check('0042'))).reason).toBe('alreadyUsed');
	});

	it('matches once, however often it is sent at the same moment', async () => {
		for (const fails of [false, true]) {
			const row = new SharedRow();
			row.fails = fails;
			const execution = startProcess(row);
			const verdicts = await Promise.all(
				[1, 2, 3].map(async () => await execution().check(check('0042'))),
			);
			const reasons = verdicts.map(({ reason }) => reason).sort();
			expect([fails, ...reasons]).toEqual([fails, 'alreadyUsed', 'alreadyUsed', null]);
		}
	});

	it.each([0, 1, 2, 3, 4, 5, 6, 7])(
		'matches once, and each wrong one counts, if processes write within %i turns',
		async (later) => {
			const turns = new TurnClock();
			const clock = Object.assign(turns, { timer: () => new AbortController().signal });
			const row = new SharedRow(async () => await turns.sleep(3));
			const checkAtOnce = async (typed: string, call: string) =>
				await Promise.all(
					[0, later].map(async (startsAt, index) => {
						const execution = startProcess(row, `${call} ${later} ${index}`, { clock });
						await turns.sleep(startsAt);
						return (await execution().check(check(typed, { call }))).reason;
					}),
				);
			const reasons = await checkAtOnce('0042', 'right');
			expect(reasons.filter((reason) => reason === null)).toHaveLength(1);
			expect(await checkAtOnce('1111', 'wrong')).toEqual(['wrongCode', 'wrongCode']);
			const after = startProcess(row, `after ${later}`, { clock });
			const last = await after().check(check('2222', { call: 'wrong' }));
			expect(last.attempts_left).toBe(2);
		},
	);

	it('stays used up where this process forgets the call meanwhile, because others come', async () => {
		const row = new SharedRow();
		await startProcess(row, 'forgets first')().check(check('0042'));
		const there = startProcess(row, 'forgets', { remembered: 1 });
		const verdict = there().check(check('1111'));
		await there().check(check('1111', { call: 'another' }));
		expect((await verdict).reason).toBe('alreadyUsed');
	});

	it('is used up even without a limit of attempts', async () => {
		const row = new SharedRow();
		const unlimited = { maxAttempts: 0 };
		const process = startProcess(row, 'unlimited');
		expect(await process().check(check('0042', unlimited))).toEqual({
			reason: null,
			attempts_left: null,
		});
		const other = startProcess(row, 'unlimited');
		expect((await other().check(check('0042', unlimited))).reason).toBe('alreadyUsed');
	});
});

describe('what n8n runs again', () => {
	it('is recognized by what n8n stored of the execution', async () => {
		const execution = startProcess(new SharedRow());
		const memory = {};
		await execution(0, memory).check(check('0042'));
		const stored = JSON.parse(JSON.stringify(memory)) as object;
		expect(JSON.stringify(stored)).not.toContain('0042');
		expect((await execution(0, stored).check(check('0042'))).reason).toBeNull();
	});

	it('is not the next pass of a loop', async () => {
		const execution = startProcess(new SharedRow());
		const memory = {};
		await execution(0, memory).check(check('1111'));
		expect((await execution(1, memory).check(check('1111'))).attempts_left).toBe(3);
	});

	it('is checked again if no code was compared', async () => {
		const execution = startProcess(new SharedRow());
		const memory = {};
		const failed = check('0042', { obstacle: 'callFailed' });
		expect((await execution(0, memory).check(failed)).reason).toBe('callFailed');
		expect((await execution(0, memory).check(check('0042'))).reason).toBeNull();
	});

	it('is forgotten after 10,000 codes, so that a loop without end does not fill n8n’s database', async () => {
		const execution = startProcess(new SharedRow());
		const memory = { codeVerdicts: { earlier: {} }, codeVerdictCount: 9_999 };
		const kept = async (typed: string) => {
			await execution(0, memory).check(check(typed));
			return Object.keys(memory.codeVerdicts).length;
		};
		expect([await kept('1111'), await kept('2222')]).toEqual([2, 1]);
	});
});

describe('the first reason that holds', () => {
	it('is tooManyAttempts, tooManyToday, alreadyUsed, callFailed or expired, wrongCode, in this order', async () => {
		const process = startProcess(new SharedRow());
		const reasonFor = async (typed: string, values: Partial<CodeCheck> = {}) =>
			(await process().check(check(typed, { maxAttempts: 2, ...values }))).reason;

		expect(await reasonFor('1111', { obstacle: 'expired' })).toBe('expired');
		expect(await reasonFor('0042', { obstacle: 'callFailed' })).toBe('callFailed');
		expect(await reasonFor('0042')).toBeNull();
		expect(await reasonFor('1111', { obstacle: 'callFailed' })).toBe('alreadyUsed');
		const usedUp = { phone: 'number', maxWrongPerDay: 1 };
		await reasonFor('1111', { ...usedUp, call: 'another call' });
		expect(await reasonFor('0042', { ...usedUp, obstacle: 'expired' })).toBe('tooManyToday');
		expect(await reasonFor('1111', { ...usedUp, maxAttempts: 1, obstacle: 'expired' })).toBe(
			'tooManyAttempts',
		);
	});

	it('is the same where another process was first', async () => {
		const row = new SharedRow();
		const one = { phone: 'number', maxWrongPerDay: 1 };
		const [here, there] = [startProcess(row, 'reasons'), startProcess(row, 'reasons')];
		await here().check(check('0042', one));
		await here().check(check('1111', { ...one, call: 'another' }));
		const verdict = { reason: 'tooManyToday', attempts_left: 0 };
		expect(await here().check(check('0042', one))).toEqual(verdict);
		expect(await there().check(check('0042', one))).toEqual(verdict);
	});

	it('costs an attempt only when a code was compared', async () => {
		const process = startProcess(new SharedRow());
		await process().check(check('1111', { obstacle: 'expired' }));
		expect((await process().check(check('abc'))).attempts_left).toBe(4);
	});
});

describe('the row in n8n’s database', () => {
	it('contains neither codes nor keys, and no more entries than its bound', async () => {
		const row = new SharedRow();
		const process = startProcess(row);
		row.entries = Array.from({ length: MOST_ENTRIES - 10 }, (_none, index) =>
			digest('earlier', index),
		);
		for (let call = 0; call < 10; call++) {
			await process().check(check('0042', { call: String(call) }));
			await process().check(check('1111', { call: `wrong ${call}` }));
		}
		expect(row.entries).toHaveLength(MOST_ENTRIES);
		expect(row.entries.every((entry) => /^[\w-]{43}$/.test(String(entry)))).toBe(true);
	});

	it('loses nothing of calls that are checked at the same moment', async () => {
		const row = new SharedRow();
		const before = startProcess(row, 'busy');
		const calls = Array.from({ length: 30 }, (_none, index) => String(index));
		await Promise.all(calls.map(async (call) => await before().check(check('1111', { call }))));
		const after = startProcess(row, 'busy');
		for (const call of calls) {
			expect((await after().check(check('2222', { call }))).attempts_left).toBe(3);
		}
	});
});
