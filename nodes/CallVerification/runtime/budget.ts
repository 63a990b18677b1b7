/** Work that was not begun because the money for it is spent. */
export class BudgetSpentError extends Error {
	constructor(
		readonly spent: number,
		readonly most: number,
	) {
		super(`${spent} of ${most} is spent`);
		this.name = 'BudgetSpentError';
	}
}

/**
 * Keeps a sum of costs from running past its limit. What a piece of work costs is known only
 * afterwards, so the dearest so far is put aside for each one under way; until one has cost something,
 * they go one by one.
 */
export class Budget {
	private sum = 0;
	private dearest = 0;
	private underWay = 0;
	private waiting: Array<() => void> = [];

	get spent(): number {
		return this.sum;
	}

	/** Does the work when there is money for it; throws a BudgetSpentError when there is none left. */
	async spend<T>(most: number, work: () => Promise<T>, costOf: (result: T) => number): Promise<T> {
		while (this.sum < most && !this.hasRoom(most)) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		if (this.sum >= most) throw new BudgetSpentError(this.sum, most);
		this.underWay++;
		try {
			const result = await work();
			this.pay(costOf(result));
			return result;
		} finally {
			this.underWay--;
			this.waiting.splice(0).forEach((wake) => wake());
		}
	}

	private pay(cost: number): void {
		this.sum += cost;
		this.dearest = Math.max(this.dearest, cost);
	}

	private hasRoom(most: number): boolean {
		if (this.underWay === 0 || most === Infinity) return true;
		return this.dearest > 0 && this.sum + (this.underWay + 1) * this.dearest <= most;
	}
}
