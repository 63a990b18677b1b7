import { InputError } from '../../../../nodes/CallVerification/contract/request';
import { KeptResults } from '../../../../nodes/CallVerification/pacing/budget';
import type { Attempts } from '../../../../nodes/CallVerification/pacing/retry';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/time';
import { ListChecks } from '../../../../nodes/CallVerification/phones/listChecks';
import { ListFile } from '../../../../nodes/CallVerification/phones/listFile';
import { ListNumbers } from '../../../../nodes/CallVerification/phones/listNumbers';
import { PhoneChecks } from '../../../../nodes/CallVerification/phones/phoneChecks';
import { ServiceError } from '../../../../nodes/CallVerification/transport/errors';
import { VirtualClock } from '../../../virtualClock';
import { endlessSlice } from './endlessSlice';

type Send = (
	phone: string,
	attempts: Attempts,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

const [A, B, C, D] = ['+79000000001', '+79000000002', '+79000000003', '+79000000004'] as const;
const valid = (phone: string, more = {}) => ({ phone: Number(phone), cost: 0.5, ...more });
const COLUMNS = 'valid,phone_e164,mobile,operator,country,region,reason,checked_at';
const NO_LIMITS = { maxChecks: Infinity, maxTotalCost: Infinity };

/** A run whose files are checked one after the other, with what the service got. */
function newRun(send: Send = valid, { width = 1, hasGivenUp = false } = {}) {
	const clock = new VirtualClock();
	const stopping = new AbortController();
	const sent: string[] = [];
	const report = { done: 0, failed: 0 };
	const context = {
		clock,
		width,
		report,
		stop: stopping.signal,
		phoneChecks: new PhoneChecks(new KeptResults({}, {}, false), clock),
		hasGivenUp: () => hasGivenUp,
		hint: () => {},
		send: async (
			_method: unknown,
			{ phone }: { phone: string },
			{ attempts }: { attempts: Attempts },
		) => {
			sent.push(phone);
			return await send(phone, attempts);
		},
	};
	let itemIndex = 0;
	/** The rows of a file, with what the checks have cost. */
	const check = async (rows: readonly string[], limits = {}, header = 'phone') => {
		const text = `${header}\n${rows.join('\n')}\n`;
		const file = await ListFile.read(Buffer.from(text), endlessSlice);
		const [results] = await file.resultSetsFor([0], endlessSlice);
		if (results === undefined) throw new Error('The list has no phone column');
		const reuse = { now: clock.wallTime(), days: 90 };
		const columns = [{ column: 0, results }];
		const numbers = await ListNumbers.read(file, columns, reuse, endlessSlice);
		const checks = new ListChecks(
			{ ...context, itemIndex: itemIndex++ },
			{ ...NO_LIMITS, ...limits },
		);
		await checks.checkAll(await numbers.findUnknown(endlessSlice));
		const { cost, paid, problem } = checks;
		return {
			rows: rows.map((_, row) => numbers.resultOf(row, 0)),
			from: numbers.all.map((number) => number.from),
			spent: { cost, paid },
			problem,
		};
	};
	return { check, sent, report, clock, stop: () => stopping.abort() };
}

describe('what is paid for', () => {
	it('is a number once, however many rows have it', async () => {
		const run = newRun();
		const { rows, spent } = await run.check([A, '7 900 000-00-01', B, A]);
		expect(run.sent).toEqual([A, B]);
		expect(rows.map(({ phone_e164 }) => phone_e164)).toEqual([A, A, B, A]);
		expect(spent).toEqual({ cost: 1, paid: 2 });
		expect(run.report).toEqual({ done: 2, failed: 0 });
	});

	it('is a number of two files once, and counts with the first', async () => {
		const run = newRun();
		expect(await run.check([A])).toMatchObject({
			from: ['service'],
			spent: { cost: 0.5, paid: 1 },
		});
		const { from, spent, rows } = await run.check([A, B]);
		expect(run.sent).toEqual([A, B]);
		expect(from).toEqual(['before', 'service']);
		expect(rows[0]).toMatchObject({ valid: 'TRUE', phone_e164: A });
		expect(spent).toEqual({ cost: 0.5, paid: 1 });
		expect(run.report.done).toBe(3);
	});

	it.each([
		['a price', 0.25, { cost: 0.25, paid: 1 }],
		['no price', undefined, { cost: 0, paid: 1 }],
		['a price that cannot be read', null, { cost: 0, paid: 1 }],
		['a price below zero', -3, { cost: 0, paid: 1 }],
		['a price of nothing', 0, { cost: 0, paid: 0 }],
	])('counts with %s', async (_what, cost, spent) => {
		expect(await newRun((phone) => valid(phone, { cost })).check([A])).toMatchObject({ spent });
	});
});

describe('what a row gets', () => {
	const EMPTY = { mobile: '', operator: '', country: '', region: '', reason: '' };
	const checked_at = '2030-01-01T00:00:01.000Z';
	const texts = { provider: 'MTS', country: 'Russia', region: 'Moscow' };
	const wrong = (details = {}) => {
		throw new ServiceError('Wrong', { failure: 'refused', advice: '', code: 3, ...details });
	};

	it.each<[string, string, Send, Record<string, string>]>([
		[
			'of a mobile number',
			A,
			(phone) => valid(phone, { mobile: 1, ...texts }),
			{ valid: 'TRUE', mobile: 'TRUE', operator: 'MTS', country: 'Russia', region: 'Moscow' },
		],
		['of another', A, (phone) => valid(phone, { mobile: 0 }), { valid: 'TRUE', mobile: 'FALSE' }],
		['if little is known', A, (phone) => valid(phone, { region: 7 }), { valid: 'TRUE' }],
		[
			'of an invalid number',
			A,
			(phone) => valid(phone, { mobile: 0, error: 'Too short' }),
			{ valid: 'FALSE', reason: 'Too short' },
		],
		[
			'of an invalid number without a plus',
			'49 151 00000009',
			(phone) => valid(phone, { error: 'Too short' }),
			{ valid: 'FALSE', reason: 'Too short', phone_e164: '4915100000009' },
		],
		[
			'of a number that is refused as a wrong one',
			A,
			() => wrong({ words: 'No such number' }),
			{ valid: 'FALSE', reason: 'No such number' },
		],
		['of one that is refused without words', A, () => wrong(), { valid: 'FALSE' }],
	])('%s', async (_what, cell, send, expected) => {
		const run = newRun(send);
		await run.clock.advance(1_999);
		const { rows } = await run.check([cell]);
		expect(rows[0]).toMatchObject({ ...EMPTY, phone_e164: A, checked_at, ...expected });
	});
});

describe('after the limit nothing is sent, and the rest is not_checked:', () => {
	it.each([1, 3])('Max Checks, with %i at once', async (width) => {
		const run = newRun(valid, { width });
		const { from, rows, spent, problem } = await run.check([A, B, C, D, D], { maxChecks: 2 });
		expect(run.sent).toEqual([A, B]);
		expect(from).toEqual(['service', 'service', 'not_checked', 'not_checked']);
		expect(spent).toEqual({ cost: 1, paid: 2 });
		const reason = 'not_checked: “Max Checks” is 2, so this number was not checked';
		expect(rows.map((row) => row.reason)).toEqual(['', '', reason, reason, reason]);
		expect(problem).toEqual({ index: 2, error: expect.any(InputError) });
		expect(run.report).toEqual({ done: 2, failed: 0 });
	});

	it('Max Checks, which is of each file', async () => {
		const run = newRun();
		await run.check([A, B], { maxChecks: 1 });
		await run.check([C, D], { maxChecks: 1 });
		expect(run.sent).toEqual([A, C]);
	});

	it('Max Checks, but what another file of the run has paid for is known', async () => {
		const run = newRun();
		await run.check([A], { maxChecks: 1 });
		const { from } = await run.check([C, D, A], { maxChecks: 1 });
		expect(from).toEqual(['service', 'not_checked', 'before']);
		expect(run.sent).toEqual([A, C]);
	});

	it('Max Total Cost, which is of all files', async () => {
		const run = newRun();
		const first = await run.check([A, B, C], { maxTotalCost: 1 });
		expect(first.from).toEqual(['service', 'service', 'not_checked']);
		const second = await run.check([D, A], { maxTotalCost: 1 });
		expect(second.from).toEqual(['not_checked', 'before']);
		expect(run.sent).toEqual([A, B]);
	});

	it.each([
		['Max Checks, and a number may use more than one', { maxChecks: 2 }, 'service'],
		['Max Total Cost, for another attempt, too', { maxTotalCost: 1 }, 'failed'],
	])('%s, as lost requests count as well', async (_limit, limits, second) => {
		const run = newRun(async (phone, { lost, again }) => {
			if (phone !== B) return valid(phone);
			lost();
			await again?.();
			return valid(phone);
		});
		const { from } = await run.check([A, B, C], limits);
		expect(from).toEqual(['service', second, 'not_checked']);
	});

	it('Max Checks, even if the first request is lost', async () => {
		const run = newRun((phone, { lost }) => {
			if (phone !== A) return valid(phone);
			lost();
			throw new Error('Lost');
		});
		const { from, spent } = await run.check([A, B, C, D], { maxChecks: 3 });
		expect(from).toEqual(['failed', 'service', 'service', 'not_checked']);
		expect(spent).toEqual({ cost: 1, paid: 2 });
		expect(run.report).toEqual({ done: 3, failed: 1 });
	});
});

describe('if a check fails', () => {
	const refused = new ServiceError('Malformed', { failure: 'refused', advice: '', code: 1 });
	const badKey = new ServiceError('Wrong key', { failure: 'refused', advice: '', code: 401 });
	const down = new ServiceError('Down', { failure: 'unavailable', advice: '' });
	const input = new InputError('Too expensive', '');
	const going = { hasGivenUp: false, isLost: false };
	const givenUp = { hasGivenUp: true, isLost: false };
	const lost = { hasGivenUp: false, isLost: true };

	it.each([
		['for a reason of its own', refused, going, 'failed', 'service'],
		['for a reason of its own, after the run gave up', refused, givenUp, 'failed', 'service'],
		['because the service is down', down, going, 'failed', 'service'],
		['because the service is down, and gives up', down, givenUp, 'not_checked', 'not_checked'],
		['because of the key', badKey, going, 'not_checked', 'service'],
		['because of the key, and gives up', badKey, givenUp, 'not_checked', 'not_checked'],
		['because of the key, after a lost request', badKey, lost, 'failed', 'service'],
		['before it was sent', input, going, 'not_checked', 'service'],
		['before it was sent again', input, lost, 'failed', 'service'],
		['for another reason', new Error('Bug'), going, 'failed', 'service'],
		[
			'as the run gives up, after a lost request',
			down,
			{ hasGivenUp: true, isLost: true },
			'failed',
			'not_checked',
		],
	])('%s', async (_why, error, { hasGivenUp, isLost }, own, others) => {
		const send: Send = (phone, attempts) => {
			if (phone !== A) return valid(phone);
			if (isLost) attempts.lost();
			throw error;
		};
		const run = newRun(send, { hasGivenUp });
		const { from, rows, problem } = await run.check([A, B, C]);
		expect(from).toEqual([own, others, others]);
		expect(run.sent).toEqual(others === 'service' ? [A, B, C] : [A]);
		expect(rows[0]).toMatchObject({ valid: '', reason: `${own}: ${error.message}` });
		expect(problem).toEqual({ index: 0, error });
		const failed = own === 'failed' ? 1 : 0;
		expect(run.report).toEqual({ done: failed + (others === 'service' ? 2 : 0), failed });
	});

	it('the problem is that of the first number, whichever comes first', async () => {
		let fail = () => {};
		const last = new Promise<void>((resolve) => {
			fail = resolve;
		});
		const run = newRun(
			async (phone) => {
				if (phone === B) await last;
				if (phone === D) fail();
				throw new Error(phone);
			},
			{ width: 3 },
		);
		const { problem } = await run.check([B, C, D, A]);
		expect(problem).toEqual({ index: 0, error: new Error(B) });
	});

	it('an old result stays, and the row does not say why', async () => {
		const at = '2020-01-01T00:00:00.000Z';
		const run = newRun(() => {
			throw refused;
		});
		const old = `${A},TRUE,${A},,,,,,${at}`;
		const { from, rows, problem } = await run.check([old], {}, `phone,${COLUMNS}`);
		expect(from).toEqual(['outdated']);
		expect(rows[0]).toMatchObject({ valid: 'TRUE', reason: '', checked_at: at });
		expect(problem?.error).toBe(refused);
		expect(run.report).toEqual({ done: 1, failed: 1 });
	});
});

it('a stop leaves the rest not_checked, and what has started is finished', async () => {
	const run = newRun((phone) => {
		if (phone !== B) return valid(phone);
		run.stop();
		throw new StoppedError();
	});
	const { from, rows, problem } = await run.check([A, B, C]);
	expect(run.sent).toEqual([A, B]);
	expect(from).toEqual(['service', 'not_checked', 'not_checked']);
	const reason = 'not_checked: The run was stopped before this could start';
	expect(rows.map((row) => row.reason)).toEqual(['', reason, reason]);
	expect(problem?.index).toBe(1);
	expect(run.report).toEqual({ done: 1, failed: 0 });
});
