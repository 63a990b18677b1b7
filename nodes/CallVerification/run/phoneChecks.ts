import type { IContextObject } from 'n8n-workflow';
import type { z } from 'zod';

import type { checkPhone } from '../api/contract/checkPhone';
import { isRecord } from '../api/record';
import { Budget } from '../runtime/budget';
import type { Shared } from '../runtime/shareDuplicates';
import { shareDuplicates } from '../runtime/shareDuplicates';

export type CheckRecord = z.output<typeof checkPhone.answer>;

interface Paid {
	readonly budget: Budget;
	readonly records: Map<string, CheckRecord>;
}

/** In characters of JSON, about 10,000 results. n8n stores them with the failed execution. */
const MOST_KEPT = 4_000_000;

const paidByNodeRun = new WeakMap<object, Paid>();

/** All checks of one run: each number is sent once, within the cost limit. */
export class PhoneChecks {
	private readonly paid: Paid;

	private readonly share = shareDuplicates<CheckRecord>();

	private foundPaid = 0;

	/**
	 * @param nodeRun The same for every try of a run: “Retry On Fail” runs the whole node again, with all its items.
	 * @param memory The node's context, which n8n stores with a failed execution and restores when it is retried.
	 */
	constructor(
		nodeRun: object,
		private readonly memory: IContextObject,
	) {
		this.paid = paidByNodeRun.get(nodeRun) ?? keptIn(memory);
		paidByNodeRun.set(nodeRun, this.paid);
	}

	/** What all tries of the run have cost, as far as the service says. */
	get cost(): number {
		return this.paid.budget.spent;
	}

	/** How many results were paid for by an earlier try. */
	get paidBefore(): number {
		return this.foundPaid;
	}

	/** Throws a BudgetSpentError when the checks have cost `maxTotalCost`. */
	check(key: string, maxTotalCost: number, ask: () => Promise<CheckRecord>): Shared<CheckRecord> {
		return this.share(key, async () => this.find(key) ?? (await this.pay(key, maxTotalCost, ask)));
	}

	/** Keeps paid results for a retry of the failed run. Returns how many are kept, and how many there are. */
	keep(): { kept: number; paid: number } {
		const kept: Array<[string, CheckRecord]> = [];
		let size = 0;
		for (const [key, record] of this.paid.records) {
			size += key.length + JSON.stringify(record).length;
			if (size > MOST_KEPT) break;
			kept.push([key, record]);
		}
		if (kept.length > 0) this.memory.paidChecks = { spent: this.cost, records: kept };
		return { kept: kept.length, paid: this.paid.records.size };
	}

	/** After a successful run, numbers are checked again in the next pass of a loop. */
	forget(): void {
		delete this.memory.paidChecks;
	}

	private find(key: string): CheckRecord | undefined {
		const record = this.paid.records.get(key);
		if (record !== undefined) this.foundPaid++;
		return record;
	}

	private async pay(key: string, maxTotalCost: number, ask: () => Promise<CheckRecord>) {
		const { budget, records } = this.paid;
		const record = await budget.spend(maxTotalCost, ask, costOf);
		records.set(key, record);
		return record;
	}
}

/** What the retried execution has kept; empty for a first execution. */
function keptIn(memory: IContextObject): Paid {
	const kept: unknown = memory.paidChecks;
	if (!isRecord(kept)) return { budget: new Budget(), records: new Map() };
	const records = kept.records as Array<[string, CheckRecord]>;
	return { budget: new Budget(Number(kept.spent)), records: new Map(records) };
}

function costOf({ cost }: CheckRecord): number {
	return typeof cost === 'number' ? cost : 0;
}
