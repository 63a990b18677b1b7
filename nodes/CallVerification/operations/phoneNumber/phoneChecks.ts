import type { z } from 'zod';

import type { checkPhone } from '../../api/contract/methods';
import { Budget } from '../../runtime/budget';
import type { Shared } from '../../runtime/shareDuplicates';
import { shareDuplicates } from '../../runtime/shareDuplicates';

export type CheckRecord = z.output<typeof checkPhone.answer>;

interface Paid {
	readonly budget: Budget;
	readonly records: Map<string, CheckRecord>;
}

const paidByNodeRun = new WeakMap<object, Paid>();

/**
 * "Retry On Fail" runs a whole node again, with all its items, but hands it the same object each time.
 * So what one try has paid for is found by the next, and forgotten with the run.
 */
function paidIn(nodeRun: object): Paid {
	const known = paidByNodeRun.get(nodeRun);
	if (known !== undefined) return known;
	const created: Paid = { budget: new Budget(), records: new Map() };
	paidByNodeRun.set(nodeRun, created);
	return created;
}

/** All checks of one run of the node: each number asked once, and paid for within a limit. */
export class PhoneChecks {
	private readonly paid: Paid;

	private readonly share = shareDuplicates<CheckRecord>();

	/** @param nodeRun The same for every try of a run. */
	constructor(nodeRun: object) {
		this.paid = paidIn(nodeRun);
	}

	/** What all tries of the run have paid, as far as the service said. */
	get cost(): number {
		return this.paid.budget.spent;
	}

	/** Throws a BudgetSpentError when the checks have cost `maxTotalCost`. */
	check(key: string, maxTotalCost: number, ask: () => Promise<CheckRecord>): Shared<CheckRecord> {
		return this.share(
			key,
			async () => this.paid.records.get(key) ?? (await this.pay(key, maxTotalCost, ask)),
		);
	}

	private async pay(key: string, maxTotalCost: number, ask: () => Promise<CheckRecord>) {
		const { budget, records } = this.paid;
		const record = await budget.spend(maxTotalCost, ask, costOf);
		records.set(key, record);
		return record;
	}
}

function costOf({ cost }: CheckRecord): number {
	return typeof cost === 'number' ? cost : 0;
}
