import type { z } from 'zod';

import type { checkPhone } from '../contract/checkPhone';
import type { RowResult } from '../phones/rowResult';
import type { Attempts } from '../pacing/retry';
import type { Clock } from '../pacing/clock';
import type { Shared } from '../pacing/shareDuplicates';
import { shareDuplicates } from '../pacing/shareDuplicates';
import type { KeptResults } from './keptResults';

export type CheckRecord = z.output<typeof checkPhone.response>;

/** A check for rows of a file. Not the whole record, because a file can have 100,000 numbers. */
export type PaidRow = {
	readonly result: RowResult;
	readonly cost: number | undefined;
	/** Whose file it was paid for. */
	readonly item: number;
};

type Ask = (attempts: Attempts) => Promise<CheckRecord>;

/** All checks of one run: each number is sent once, within the cost limit. */
export class PhoneChecks {
	private readonly share = shareDuplicates<CheckRecord>();

	constructor(
		private readonly earlier: KeptResults,
		private readonly clock: Clock,
	) {}

	/** Throws a BudgetSpentError or an UnknownCostError when the checks have cost `maxTotalCost`, or may have. */
	check(key: string, maxTotalCost: number, ask: Ask): Shared<CheckRecord> {
		return this.share(key, async () => this.find(key) ?? (await this.pay(key, maxTotalCost, ask)));
	}

	/** Whether there is something to lose. */
	get haveCost(): boolean {
		const { known, unpriced } = this.earlier.budget.spending;
		return known + unpriced > 0;
	}

	findRow(key: string): PaidRow | undefined {
		return this.earlier.find(rowKey(key), this.clock.wallTime()) as PaidRow | undefined;
	}

	/** As `check`, for a key that is asked for once. */
	async payRow(
		key: string,
		most: number,
		ask: (attempts: Attempts) => Promise<PaidRow>,
	): Promise<PaidRow> {
		const row = await this.earlier.budget.spend({ key, most }, ask, ({ cost }) => cost);
		this.earlier.add(rowKey(key), row);
		return row;
	}

	private find(key: string): CheckRecord | undefined {
		// Only `pay` adds results with the key of a number.
		return this.earlier.find(key, this.clock.wallTime()) as CheckRecord | undefined;
	}

	private async pay(key: string, most: number, ask: Ask): Promise<CheckRecord> {
		const record = await this.earlier.budget.spend({ key, most }, ask, priceOf);
		this.earlier.add(key, record);
		return record;
	}
}

/** Not that of the record that `check` keeps. */
function rowKey(key: string): string {
	return `row ${key}`;
}

/** A price below zero is none: it would raise the limit. */
export function priceOf({ cost }: CheckRecord): number | undefined {
	return typeof cost === 'number' && cost >= 0 ? cost : undefined;
}
