import { Budget } from '../runtime/budget';

/** What was asked and paid for, by number or by item. */
export class PaidChecks<Answer> {
	readonly budget = new Budget();

	private readonly answers = new Map<string, Answer>();

	get(key: string): Answer | undefined {
		return this.answers.get(key);
	}

	set(key: string, answer: Answer): void {
		this.answers.set(key, answer);
	}
}

const byNodeRun = new WeakMap<object, PaidChecks<unknown>>();

/**
 * "Retry On Fail" runs a whole node again, with all its items, but hands it the same object each time.
 * So what one try has paid for is found by the next, and forgotten with the run.
 */
export function paidChecksOf(nodeRun: object): PaidChecks<unknown> {
	const known = byNodeRun.get(nodeRun);
	if (known !== undefined) return known;
	const created = new PaidChecks<unknown>();
	byNodeRun.set(nodeRun, created);
	return created;
}
