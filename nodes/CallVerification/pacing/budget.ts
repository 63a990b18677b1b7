import type { Attempts } from './retry';

/** As plain JSON. */
type Spending = Budget['spending'];

/** Work that was not started because the budget is spent, or may be. */
export class BudgetSpentError extends Error {
	override readonly name = 'BudgetSpentError';

	constructor(
		/** Undefined if something was spent before any cost is known. */
		readonly spent: number | undefined,
		readonly most: number,
		/** False if some costs are not known and count as the highest one. */
		readonly isCertain: boolean,
	) {
		super(`${spent ?? 'An unknown part'} of ${most} is spent`);
	}
}

/**
 * The cost of a piece of work is only known afterwards, so the highest cost so far counts for each one in flight, for
 * each result without a cost, and for each attempt whose result was lost. A lost one goes on counting when another with
 * the same key has a result, because both may have been charged.
 *
 * As long as everything has been free, nobody knows the price, and a limit could be exceeded by all that is in flight
 * when the first price comes. So one piece of work starts alone, and one more may be in flight after each that was free.
 * If an attempt may have been charged before any price is known, nothing starts but another attempt with the same key,
 * whose result says what it costs.
 */
export class Budget {
	known: number;
	private dearest: number;
	/** Results that do not say what they cost. */
	private unpriced: number;
	/** How many attempts may have been charged while their key has no result, by key. */
	private readonly lost: Map<string, number>;
	/** All of these. */
	private lostAttempts = 0;
	/** Lost attempts of keys that have a result since: they may have been charged as well. */
	private doubtful: number;
	/** Results that cost nothing. */
	private free = 0;
	private inFlight = 0;
	private waiting: Array<() => void> = [];

	constructor(spending: Partial<Spending> = {}) {
		const { known = 0, dearest = 0, unpriced = 0, lost = [], doubtful = 0 } = spending;
		this.known = known;
		this.dearest = dearest;
		this.unpriced = unpriced;
		this.lost = new Map(lost);
		this.doubtful = doubtful;
		for (const attempts of this.lost.values()) this.lostAttempts += attempts;
	}

	get spending() {
		const { known, dearest, unpriced, lost, doubtful } = this;
		return { known, dearest, unpriced, lost: [...lost], doubtful };
	}

	/** Results and attempts that may have been charged, nobody knows how much. */
	get unknown(): number {
		return this.unpriced + this.lostAttempts + this.doubtful;
	}

	/** What may have been charged, where `known` is what surely was. */
	get spent(): number {
		return exact(this.known + this.unknown * this.dearest);
	}

	/** Whether something was charged, or may have been. */
	get isUsed(): boolean {
		return this.known + this.unknown > 0;
	}

	/** Does the work when the budget allows; throws a BudgetSpentError if it does not. */
	async spend<T>(
		{ key, most }: { key: string; most: number },
		work: (attempts: Attempts) => Promise<T>,
		costOf: (result: T) => number | undefined,
	): Promise<T> {
		const again = async () => {
			this.end();
			await this.start(key, most);
		};
		const lost = () => {
			this.lost.set(key, (this.lost.get(key) ?? 0) + 1);
			this.lostAttempts++;
		};
		try {
			await this.start(key, most);
			const result = await work({ lost, again });
			this.pay(key, costOf(result));
			return result;
		} finally {
			this.end();
		}
	}

	/** Also counts as in flight if it throws: each is followed by an `end`. */
	private async start(key: string, most: number): Promise<void> {
		// What is in flight may turn out to be cheaper, or tell the cost of what was lost.
		while (this.inFlight > 0 && this.known < most && !this.hasRoom(key, most)) {
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
		const hasRoom = this.hasRoom(key, most);
		this.inFlight++;
		if (this.spent >= most) throw new BudgetSpentError(this.spent, most, this.unknown === 0);
		if (!hasRoom) throw new BudgetSpentError(undefined, most, false);
	}

	private end(): void {
		this.inFlight--;
		this.waiting.splice(0).forEach((wake) => wake());
	}

	private pay(key: string, cost: number | undefined): void {
		const lost = this.lost.get(key) ?? 0;
		this.lost.delete(key);
		this.lostAttempts -= lost;
		this.doubtful += lost;
		if (cost === undefined) this.unpriced++;
		if (cost === 0) this.free++;
		this.known = exact(this.known + (cost ?? 0));
		this.dearest = Math.max(this.dearest, cost ?? 0);
	}

	private hasRoom(key: string, most: number): boolean {
		if (most === Infinity) return true;
		const { dearest, inFlight } = this;
		const isAlone = inFlight === 0;
		if (dearest > 0) return isAlone || this.spent + (inFlight + 1) * dearest <= most;
		const mayHaveBeenCharged = this.unpriced + this.lostAttempts > 0;
		if (mayHaveBeenCharged) return isAlone && this.lost.has(key);
		return inFlight <= this.free;
	}
}

/** 110 times 0.05 must be 5.5 and not a trace less, or one more would be spent. */
const exact = (sum: number) => Number(sum.toFixed(9));

/** In characters of JSON, about 10,000 results. n8n stores them with the failed execution. */
const MOST_STORED = 4_000_000;

export interface Validity {
	/** In milliseconds since the Unix epoch. */
	readonly expiresAt?: number;
	/** Of no use to the execution that n8n's Retry creates. */
	readonly isOfExecution?: boolean;
}

type Result = Validity & { readonly record: Readonly<Record<string, unknown>> };
type Entry = [key: string, result: Result];

const resultsOfRuns = new WeakMap<object, Map<string, Result>>();
/** By node run; of a tool, by the node's context. */
const budgets = new WeakMap<object, Budget>();

/**
 * What a node run has obtained and spent, kept in case it is repeated: “Retry On Fail” and n8n's Retry run the whole
 * node again, with all its items, but the service must not see again what has succeeded. What a tool has spent counts
 * for the whole execution, because each of its calls is a run, and a model can make any number of them.
 */
export class KeptResults {
	reused = 0;
	readonly budget: Budget;
	private readonly results: Map<string, Result>;

	/**
	 * @param nodeRun The same object for every try of “Retry On Fail”, and another in the next pass of a loop.
	 * @param memory The node's context: the same object for all runs of an execution. n8n stores it with a failed
	 * execution and restores it when that is retried. Who can see the execution can read it, so it only gets what the
	 * output would show.
	 */
	constructor(
		nodeRun: object,
		private readonly memory: { keptResults?: { spending: Spending; results: Entry[] } },
		private readonly isTool: boolean,
	) {
		const { spending, results } = memory.keptResults ?? {};
		const spender = isTool ? memory : nodeRun;
		this.budget = budgets.get(spender) ?? new Budget(spending);
		this.results = resultsOfRuns.get(nodeRun) ?? new Map(results);
		budgets.set(spender, this.budget);
		resultsOfRuns.set(nodeRun, this.results);
	}

	/** @param now In milliseconds since the Unix epoch. */
	find(key: string, now: number) {
		const result = this.results.get(key);
		if (result === undefined || now >= (result.expiresAt ?? Infinity)) return undefined;
		this.reused++;
		return result.record;
	}

	add(key: string, record: Result['record'], validity: Validity = {}): void {
		this.results.set(key, { record, ...validity });
	}

	/** For a retry of the failed execution. Returns how many results are stored, and how many there are. */
	store(): { stored: number; all: number } {
		const { budget, results } = this;
		const stored: Entry[] = [];
		let size = 0;
		for (const [key, result] of results) {
			if (result.isOfExecution) continue;
			size += key.length + JSON.stringify(result).length;
			if (size > MOST_STORED) break;
			stored.push([key, result]);
		}
		if (stored.length > 0 || budget.isUsed) {
			this.memory.keptResults = { spending: budget.spending, results: stored };
		}
		return { stored: stored.length, all: results.size };
	}

	/** After a successful run, the next pass of a loop starts from scratch; the next call of a tool has no more to spend. */
	forget(): void {
		const { budget, isTool, memory } = this;
		delete memory.keptResults;
		// As an execution that waits is continued with what n8n has stored.
		if (isTool && budget.isUsed) memory.keptResults = { spending: budget.spending, results: [] };
	}
}
