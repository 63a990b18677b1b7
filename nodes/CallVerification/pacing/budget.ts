import type { Attempts } from './retry';

/** What has been spent, as plain JSON. */
export interface Spending {
	/** The sum of all known costs. */
	known: number;
	dearest: number;
	/** Results that do not say what they cost. */
	unpriced: number;
	/** Attempts without a result that may have been charged, by key. */
	lost: Array<[key: string, attempts: number]>;
}

/** Work that was not started because the budget is spent, or may be. */
export class BudgetSpentError extends Error {
	constructor(
		readonly spent: number,
		readonly most: number,
		/** False if some costs are not known and count as the highest one. */
		readonly isCertain: boolean,
	) {
		super(`${spent} of ${most} is spent`);
		this.name = 'BudgetSpentError';
	}
}

/** Work that was not started because something has been spent, but nobody knows how much. */
export class UnknownCostError extends Error {
	constructor(readonly most: number) {
		super('No cost is known yet');
		this.name = 'UnknownCostError';
	}
}

/**
 * Keeps what may have been spent within a limit. The cost of a piece of work is only known afterwards, so the highest
 * cost so far counts for each one in flight, for each result without a cost, and for each attempt whose result was
 * lost, until another attempt with the same key has a result.
 *
 * Until something has cost money, one more may be in flight than have been free, so a late price exceeds the limit by
 * at most those. If something may have been charged by then, only that is tried again, to find out its cost.
 */
export class Budget {
	/** The sum of all known costs. */
	known: number;
	private dearest: number;
	private unpriced: number;
	private readonly lost: Map<string, number>;
	private lostAttempts = 0;
	private free = 0;
	private inFlight = 0;
	private waiting: Array<() => void> = [];

	constructor({ known = 0, dearest = 0, unpriced = 0, lost = [] }: Partial<Spending> = {}) {
		this.known = known;
		this.dearest = dearest;
		this.unpriced = unpriced;
		this.lost = new Map(lost);
		for (const [, attempts] of lost) this.lostAttempts += attempts;
	}

	get spending(): Spending {
		const { known, dearest, unpriced, lost } = this;
		return { known, dearest, unpriced, lost: [...lost] };
	}

	/** How many costs are not known. */
	get unknown(): number {
		return this.unpriced + this.lostAttempts;
	}

	/** What may have been spent. */
	get spent(): number {
		return this.known + this.unknown * this.dearest;
	}

	/** Does the work when the budget allows; throws a BudgetSpentError or an UnknownCostError if it does not. */
	async spend<T>(
		{ key, most }: { key: string; most: number },
		work: (attempts: Attempts) => Promise<T>,
		costOf: (result: T) => number | undefined,
	): Promise<T> {
		await this.start(key, most);
		let isInFlight = true;
		const again = async () => {
			this.end();
			isInFlight = false;
			await this.start(key, most);
			isInFlight = true;
		};
		try {
			const result = await work({ lost: () => this.lose(key), again });
			this.pay(key, costOf(result));
			return result;
		} finally {
			if (isInFlight) this.end();
		}
	}

	private async start(key: string, most: number): Promise<void> {
		// What is in flight may turn out to be cheaper, or tell the cost of what was lost.
		while (this.inFlight > 0 && this.known < most && !this.hasRoom(key, most)) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		if (this.spent >= most) throw new BudgetSpentError(this.spent, most, this.unknown === 0);
		if (!this.hasRoom(key, most)) throw new UnknownCostError(most);
		this.inFlight++;
	}

	private end(): void {
		this.inFlight--;
		this.waiting.splice(0).forEach((wake) => wake());
	}

	private lose(key: string): void {
		this.lost.set(key, (this.lost.get(key) ?? 0) + 1);
		this.lostAttempts++;
	}

	private pay(key: string, cost: number | undefined): void {
		this.lostAttempts -= this.lost.get(key) ?? 0;
		this.lost.delete(key);
		if (cost === undefined) {
			this.unpriced++;
			return;
		}
		if (cost === 0) this.free++;
		// 110 times 0.05 must be 5.5 and not a trace less, or one more would be spent.
		this.known = Number((this.known + cost).toFixed(9));
		this.dearest = Math.max(this.dearest, cost);
	}

	private hasRoom(key: string, most: number): boolean {
		if (most === Infinity) return true;
		if (this.dearest > 0) {
			return this.inFlight === 0 || this.spent + (this.inFlight + 1) * this.dearest <= most;
		}
		if (this.unknown > 0) return this.inFlight === 0 && this.lost.has(key);
		return this.inFlight <= this.free;
	}
}
