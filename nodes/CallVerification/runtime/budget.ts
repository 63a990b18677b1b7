/** Work that was not started because the budget is spent. */
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
 * Keeps the total cost within a limit. The cost of a piece of work is only known afterwards, so the highest cost so far
 * is reserved for each one in flight. Until something has cost money, one more may be in flight than have been free, so
 * a late price exceeds the limit by at most those.
 */
export class Budget {
	private dearest = 0;
	private free = 0;
	private inFlight = 0;
	private waiting: Array<() => void> = [];

	constructor(private sum = 0) {}

	get spent(): number {
		return this.sum;
	}

	/** Does the work when the budget allows; throws a BudgetSpentError if it is spent. */
	async spend<T>(most: number, work: () => Promise<T>, costOf: (result: T) => number): Promise<T> {
		while (this.sum < most && !this.hasRoom(most)) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		if (this.sum >= most) throw new BudgetSpentError(this.sum, most);
		this.inFlight++;
		try {
			const result = await work();
			this.pay(costOf(result));
			return result;
		} finally {
			this.inFlight--;
			this.waiting.splice(0).forEach((wake) => wake());
		}
	}

	private pay(cost: number): void {
		if (cost === 0) this.free++;
		this.sum += cost;
		this.dearest = Math.max(this.dearest, cost);
	}

	private hasRoom(most: number): boolean {
		if (this.inFlight === 0 || most === Infinity) return true;
		if (this.dearest === 0) return this.inFlight <= this.free;
		return this.sum + (this.inFlight + 1) * this.dearest <= most;
	}
}
