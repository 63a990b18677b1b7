import fc from 'fast-check';

import { Budget, BudgetSpentError } from '../../../../nodes/CallVerification/runtime/budget';

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
			.spend(most, work, (result) => result)
			.then(
				() => 'done',
				(error: unknown) => error,
			);
	});
	const settle = async () => await new Promise((resolve) => setImmediate(resolve));
	return { started, endings, results, settle };
}

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

	it('starts nothing more once it is spent', async () => {
		const budget = new Budget();
		const { started, endings, results, settle } = pieces(budget, 2, [1, 1, 1]);
		for (const index of [0, 1]) {
			await settle();
			endings[index]?.();
		}
		const outcome = await Promise.all(results);
		expect(outcome.slice(0, 2)).toEqual(['done', 'done']);
		expect(outcome[2]).toBeInstanceOf(BudgetSpentError);
		expect(outcome[2]).toMatchObject({ spent: 2, most: 2 });
		expect(started).toEqual([0, 1]);
		expect(budget.spent).toBe(2);
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

	it('has no effect without a limit', async () => {
		const { started, settle } = pieces(new Budget(), Infinity, [1, 1, 1]);
		await settle();
		expect(started).toEqual([0, 1, 2]);
	});

	it('charges nothing for work that fails, and lets the next go', async () => {
		const budget = new Budget();
		const failing = budget.spend(
			1,
			async () => await Promise.reject(new Error('no')),
			() => 1,
		);
		await expect(failing).rejects.toThrow('no');
		await expect(
			budget.spend(
				1,
				async () => 1,
				() => 1,
			),
		).resolves.toBe(1);
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

	it('continues from what was spent before', async () => {
		const { started, endings, settle } = pieces(new Budget(9), 10, [1, 1]);
		await settle();
		endings[0]?.();
		await settle();
		expect(started).toEqual([0]);
	});

	it('is exceeded by no more than what was in flight before the first price, and used up', async () => {
		const price: number = 3;
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom<number[]>(0, price), { maxLength: 30 }),
				fc.integer({ min: 1, max: 40 }),
				async (costs, most) => {
					const budget = new Budget();
					await Promise.all(
						costs.map(
							async (cost) =>
								await budget
									.spend(
										most,
										async () => cost,
										(paid) => paid,
									)
									.catch(() => {}),
						),
					);
					const all = costs.reduce((sum, cost) => sum + cost, 0);
					const free = costs.indexOf(price);
					const unpriced = Math.max(1, free + 1);
					expect(budget.spent).toBeLessThan(most + price * unpriced);
					expect(budget.spent).toBeGreaterThanOrEqual(Math.min(all, most));
				},
			),
		);
	});
});
