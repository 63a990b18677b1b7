import fc from 'fast-check';

import type { Attempts } from '../../../../nodes/CallVerification/pacing/retry';
import {
	Budget,
	BudgetSpentError,
	KeptResults,
} from '../../../../nodes/CallVerification/pacing/budget';

/** Work that stays in flight until told to end. */
function pieces(budget: Budget, most: number, costs: number[]) {
	const started: number[] = [];
	const endings: Array<() => void> = [];
	const results = costs.map(async (cost, index) => {
		const work = async () => {
			started.push(index);
			await new Promise<void>((resolve) => (endings[index] = resolve));
			return cost;
		};
		return await budget
			.spend({ key: String(index), most }, work, (result) => result)
			.then(
				() => 'done',
				(error: unknown) => error,
			);
	});
	const settle = async () => await new Promise((resolve) => setImmediate(resolve));
	return { started, endings, results, settle };
}

const UNREADABLE = undefined;
type Attempt = 'lost' | 'refused' | number | undefined;

/** Makes the attempts of one piece of work, one after the other. */
const spend = async (budget: Budget, key: string, most: number, ...attempts: Attempt[]) => {
	const made: Attempt[] = [];
	const work = async ({ lost, again }: Attempts) => {
		for (const attempt of attempts) {
			if (made.length > 0) await again?.();
			made.push(attempt);
			await new Promise((resolve) => setImmediate(resolve));
			if (attempt === 'lost') lost();
			else if (attempt !== 'refused') return attempt;
		}
		throw new Error('given up');
	};
	const outcome = await budget
		.spend({ key, most }, work, (cost) => cost)
		.then(
			() => 'done',
			(error: unknown) => error,
		);
	return { outcome, attempts: made.length };
};

describe('a budget', () => {
	it('lets the first go alone, because the price is not yet known', async () => {
		const { started, endings, results, settle } = pieces(new Budget(), 10, [1, 1, 1]);
		await settle();
		expect(started).toEqual([0]);
		endings[0]?.();
		await settle();
		expect(started).toEqual([0, 1, 2]);
		endings[1]?.();
		endings[2]?.();
		expect(await Promise.all(results)).toEqual(['done', 'done', 'done']);
	});

	it('says so as soon as it is spent, without waiting for work in flight', async () => {
		const { started, endings, results, settle } = pieces(new Budget(), 3, [1, 2, 1, 1]);
		await settle();
		endings[0]?.();
		await settle();
		endings[1]?.();
		expect(await results[3]).toMatchObject({
			name: 'BudgetSpentError',
			message: '3 of 3 is spent',
			spent: 3,
			most: 3,
			isCertain: true,
		});
		expect(started).toEqual([0, 1, 2]);
	});

	it('reserves the highest price for each one in flight', async () => {
		const { started, endings, settle } = pieces(new Budget(), 3.5, [1, 1, 1, 1]);
		await settle();
		endings[0]?.();
		await settle();
		expect(started).toEqual([0, 1, 2]);
	});

	it('continues when reserved money was not needed', async () => {
		const { started, endings, settle } = pieces(new Budget(), 2, [1, 0, 0]);
		await settle();
		endings[0]?.();
		await settle();
		expect(started).toEqual([0, 1]);
		endings[1]?.();
		await settle();
		expect(started).toEqual([0, 1, 2]);
	});

	it('is spent to the cent: 110 times 0.05 is 5.5', async () => {
		const budget = new Budget();
		for (let piece = 0; piece < 110; piece++) await spend(budget, 'same', 5.5, 0.05);
		const { outcome } = await spend(budget, 'same', 5.5, 0.05);
		expect(outcome).toBeInstanceOf(BudgetSpentError);
	});
	it('has no effect without a limit', async () => {
		const { started, settle } = pieces(new Budget(), Infinity, [1, 1, 1]);
		await settle();
		expect(started).toEqual([0, 1, 2]);
	});

	it('charges nothing for work that fails without a loss, and lets the next go', async () => {
		const budget = new Budget();
		const { outcome } = await spend(budget, 'a', 1, 'refused');
		expect(outcome).toEqual(new Error('given up'));
		expect((await spend(budget, 'b', 1, 1)).outcome).toBe('done');
	});
	it('doubles the number in flight while everything is free', async () => {
		const { started, endings, settle } = pieces(new Budget(), 10, Array<number>(8).fill(0));
		const inFlight: number[] = [];
		for (let ended = 0; ended < 7; ) {
			await settle();
			inFlight.push(started.length - ended);
			while (ended < started.length) endings[ended++]?.();
		}
		expect(inFlight).toEqual([1, 2, 4]);
	});

	it('is exceeded by no more than what was in flight before the first price, and used up', async () => {
		const price: number = 3;
		const prices = fc.array(fc.constantFrom<number[]>(0, price), { maxLength: 30 });
		await fc.assert(
			fc.asyncProperty(prices, fc.integer({ min: 1, max: 40 }), async (costs, most) => {
				const budget = new Budget();
				await Promise.all(
					costs.map(async (cost, index) => await spend(budget, String(index), most, cost)),
				);
				const all = costs.reduce((sum, cost) => sum + cost, 0);
				const unpriced = Math.max(1, costs.indexOf(price) + 1);
				expect(budget.spent).toBeLessThan(most + price * unpriced);
				expect(budget.spent).toBeGreaterThanOrEqual(Math.min(all, most));
			}),
		);
	});
});
describe('a cost that is not known', () => {
	it('counts as the highest one so far: of a lost result, and of one without a readable cost', async () => {
		const budget = new Budget();
		await spend(budget, 'a', 10, 2);
		await spend(budget, 'b', 10, 'lost');
		await spend(budget, 'c', 10, UNREADABLE);
		expect([budget.known, budget.unknown, budget.spent]).toEqual([2, 2, 6]);
		await spend(budget, 'd', 10, 3);
		expect([budget.known, budget.unknown, budget.spent]).toEqual([5, 2, 11]);
		const { outcome } = await spend(budget, 'e', 10, 2);
		expect(outcome).toMatchObject({ name: 'BudgetSpentError', spent: 11, isCertain: false });
	});

	it('stays unknown after a later result with the same key, because both may have been charged', async () => {
		const budget = new Budget();
		await spend(budget, 'a', 10, 2);
		await spend(budget, 'b', 10, 'lost', 'lost', 'refused');
		expect([budget.known, budget.unknown, budget.spent]).toEqual([2, 2, 6]);
		await spend(budget, 'b', 10, 1);
		expect([budget.known, budget.unknown, budget.spent]).toEqual([3, 2, 7]);
	});

	it('counts for each lost attempt', async () => {
		const budget = new Budget();
		await spend(budget, 'a', 10, 1);
		expect(await spend(budget, 'b', 10, 'lost', 'lost', 1)).toEqual({
			outcome: 'done',
			attempts: 3,
		});
		expect([budget.known, budget.spent]).toEqual([2, 4]);
	});

	it('stops nothing if a retry of the lost attempt was free', async () => {
		const budget = new Budget();
		await spend(budget, 'a', 10, 'lost', 0);
		expect((await spend(budget, 'b', 10, 0)).outcome).toBe('done');
		await spend(budget, 'c', 10, 2);
		expect([budget.known, budget.spent]).toEqual([2, 4]);
	});

	it('ends the attempts once they may have used up the budget', async () => {
		const budget = new Budget();
		await spend(budget, 'a', 4, 1);
		const { outcome, attempts } = await spend(budget, 'b', 4, ...Array<Attempt>(9).fill('lost'));
		expect(outcome).toBeInstanceOf(BudgetSpentError);
		expect(attempts).toBe(3);
		expect(budget.spent).toBe(4);
	});

	it.each<[string, Attempt[]]>([
		['the first result has no readable cost', [UNREADABLE]],
		['the first result is lost for good', ['lost', 'lost']],
	])('lets nothing else start if %s', async (_what, first) => {
		const budget = new Budget();
		await spend(budget, 'a', 10, ...first);
		expect(await spend(budget, 'b', 10, 1)).toEqual({
			outcome: expect.objectContaining({
				name: 'BudgetSpentError',
				spent: undefined,
				isCertain: false,
			}),
			attempts: 0,
		});
	});

	it('lets nothing else start even if others were free', async () => {
		const budget = new Budget();
		for (const key of ['a', 'b', 'c']) await spend(budget, key, 10, 0);
		await spend(budget, 'd', 10, UNREADABLE);
		const { outcome } = await spend(budget, 'e', 10, 1);
		expect(outcome).toMatchObject({ name: 'BudgetSpentError', spent: undefined });
	});

	it('may be found out by trying again what was lost', async () => {
		const budget = new Budget();
		await spend(budget, 'a', 10, 'lost');
		await spend(budget, 'a', 10, 'lost', 1);
		expect((await spend(budget, 'b', 10, 1)).outcome).toBe('done');
		expect([budget.known, budget.spent]).toEqual([2, 4]);
	});

	it('makes others wait as long as it may be found out', async () => {
		const budget = new Budget();
		let tryAgain = () => {};
		const first = budget.spend(
			{ key: 'a', most: 10 },
			async ({ lost, again }) => {
				lost();
				await new Promise<void>((resolve) => (tryAgain = resolve));
				await again?.();
				return 1;
			},
			(cost) => cost,
		);
		const second = spend(budget, 'b', 10, 1);
		await new Promise((resolve) => setImmediate(resolve));
		tryAgain();
		await first;
		expect((await second).outcome).toBe('done');
	});

	it('has no effect without a limit, but is counted', async () => {
		const budget = new Budget();
		await spend(budget, 'a', Infinity, UNREADABLE);
		await spend(budget, 'b', Infinity, 'lost');
		expect((await spend(budget, 'c', Infinity, 1)).outcome).toBe('done');
		expect([budget.known, budget.unknown]).toEqual([1, 2]);
	});

	it('is kept with everything else', async () => {
		const budget = new Budget();
		await spend(budget, 'a', 10, 2);
		await spend(budget, 'b', 10, 'lost', 'lost');
		await spend(budget, 'c', 10, UNREADABLE);
		const kept = new Budget(JSON.parse(JSON.stringify(budget.spending)) as object);
		expect([kept.known, kept.unknown, kept.spent]).toEqual([2, 3, 8]);
		await spend(kept, 'b', 10, 1);
		expect([kept.known, kept.unknown, kept.spent]).toEqual([3, 3, 9]);
		const again = new Budget(JSON.parse(JSON.stringify(kept.spending)) as object);
		expect(again.spent).toBe(9);
	});

	const MOST_ATTEMPTS = 4;
	it.each<[string, object, (most: number) => number]>([
		['a price is known', { dearest: 1 }, (most) => most],
		// Until then, one piece of work may use all of its attempts.
		['none is', {}, (most) => Math.max(most, MOST_ATTEMPTS)],
	])(
		'never exceeds the budget, whatever is lost or in flight, if %s',
		async (_, spending, bound) => {
			const attempt = fc.constantFrom<Attempt[]>(1, 1, 'lost', 'refused', UNREADABLE);
			await fc.assert(
				fc.asyncProperty(
					fc.array(fc.array(attempt, { minLength: 1, maxLength: MOST_ATTEMPTS }), {
						maxLength: 20,
					}),
					fc.integer({ min: 1, max: 12 }),
					async (lists, most) => {
						const budget = new Budget(spending);
						await Promise.all(
							lists.map(
								async (attempts, index) => await spend(budget, String(index), most, ...attempts),
							),
						);
						expect(budget.known + budget.unknown).toBeLessThanOrEqual(bound(most));
					},
				),
			);
		},
	);
});

describe('what a tool has spent', () => {
	const call = (memory: object) => new KeptResults({}, memory, true);

	it('counts at once for its other calls, even those at the same time', async () => {
		const memory = {};
		const [one, other] = [call(memory), call(memory)];
		await spend(one.budget, 'a', 10, 2);
		expect(other.budget.known).toBe(2);
	});

	it('is in what n8n stores while an execution waits, without the results', async () => {
		const memory = {};
		const kept = call(memory);
		await spend(kept.budget, 'a', 10, 2);
		kept.add('a', { valid: true });
		kept.forget();
		const stored = JSON.stringify(memory);
		expect(stored).not.toContain('valid');
		expect(call(JSON.parse(stored) as object).budget.known).toBe(2);
	});

	it('is stored even if as much may have been charged as surely was, and not if it is nothing', async () => {
		const memory = {};
		const kept = call(memory);
		kept.forget();
		kept.store();
		expect(memory).toEqual({});
		await spend(kept.budget, 'a', 10, 1);
		await spend(kept.budget, 'b', 10, 'lost');
		kept.forget();
		expect(call(JSON.parse(JSON.stringify(memory)) as object).budget.spent).toBe(2);
	});
});

describe('what is kept for n8n’s Retry', () => {
	const ofRun = (memory: object) => new KeptResults({}, memory, false);
	const restored = (memory: object) => ofRun(JSON.parse(JSON.stringify(memory)) as object);

	it('has results and spending, and nothing after a run that succeeded', async () => {
		const memory = {};
		const failed = ofRun(memory);
		await spend(failed.budget, 'a', 10, 1);
		failed.add('a', { cost: 1 });
		expect(failed.store()).toEqual({ stored: 1, all: 1 });
		const retried = restored(memory);
		expect(retried.find('a', 0)).toEqual({ cost: 1 });
		expect([retried.reused, retried.budget.known]).toEqual([1, 1]);
		retried.forget();
		expect(memory).not.toEqual({});
		failed.forget();
		expect(memory).toEqual({});
	});

	it('has what may have been charged, even without a result', async () => {
		const memory = {};
		const failed = ofRun(memory);
		await spend(failed.budget, 'a', 10, 'lost');
		failed.store();
		expect(restored(memory).budget.unknown).toBe(1);
	});

	it('does not have what has expired, or is of use to its own execution only', () => {
		const memory = {};
		const failed = ofRun(memory);
		failed.add('until', { valid: true }, { expiresAt: 1_000 });
		failed.add('own', { valid: true }, { isOfExecution: true });
		expect(failed.find('own', 0)).toEqual({ valid: true });
		expect(failed.store()).toEqual({ stored: 1, all: 2 });
		const retried = restored(memory);
		expect(retried.find('own', 0)).toBeUndefined();
		expect(retried.find('until', 999)).toEqual({ valid: true });
		expect(retried.find('until', 1_000)).toBeUndefined();
		expect(retried.reused).toBe(1);
	});

	it('is as much as n8n can store: four million characters', () => {
		const memory = {};
		const failed = ofRun(memory);
		const text = 'x'.repeat(1_000_000 - '{"record":{"text":""}}'.length - 1);
		for (const key of ['a', 'b', 'c', 'd', 'e']) failed.add(key, { text });
		expect(failed.store()).toEqual({ stored: 4, all: 5 });
		expect(restored(memory).find('d', 0)).toEqual({ text });
	});

	it('is the same for every try of a run, and not for the next run', async () => {
		const [run, memory] = [{}, {}];
		const first = new KeptResults(run, memory, false);
		await spend(first.budget, 'a', 10, 1);
		first.add('a', { cost: 1 });
		const second = new KeptResults(run, memory, false);
		expect([second.budget.known, second.find('a', 0)]).toEqual([1, { cost: 1 }]);
		const next = new KeptResults({}, memory, false);
		expect([next.budget.known, next.find('a', 0)]).toEqual([0, undefined]);
	});
});
