import { concernsEverything, isFinal, ServiceError } from '../transport/errors';
import { InputError } from '../contract/request';
import { type ListNumber, NO_RESULT } from '../phones/listNumbers';
import type { RowResult } from '../phones/rowResult';
import type { ItemContext } from './operation';
import { isSaid, withoutErrorKey } from './output';
import { type CheckRecord, type PaidRow, priceOf } from './phoneChecks';
import { type Attempts, LostAttempts } from '../pacing/retry';
import { Budget, BudgetSpentError } from '../pacing/budget';
import { runInOrder } from '../pacing/pool';
import { settle } from '../pacing/settled';
import { StoppedError } from '../pacing/stop';
import { checkAt, withinBudget } from './paidCheck';

interface Limits {
	/** Of this file; Infinity for no limit. */
	readonly maxChecks: number;
	/** Of the run; Infinity for no limit. */
	readonly maxTotalCost: number;
}

/** Checks the numbers of one file. No failure ends it, because a file with gaps can be continued and a lost one cannot. */
export class ListChecks {
	/** What the numbers of this file have cost, as far as the service says. */
	cost = 0;

	/** Rows with an error of their own. */
	failed = 0;

	/** Rows whose number was not sent. */
	not_checked = 0;

	/** Rows that keep an old result, because their number has no new one. */
	outdated = 0;

	/** The problem of the first row that has one. */
	problem: { readonly index: number; readonly error: unknown } | undefined;

	/** Each check counts as one, and so does one that was lost, as with money. */
	private readonly checks = new Budget({ dearest: 1 });

	/** Why no further number is sent, once that is certain. */
	private end: unknown;

	/** The same few texts come with every record. */
	private readonly texts = new Map<string, string>();

	private readonly gaps = new Map<string, RowResult>();

	constructor(
		private readonly item: ItemContext,
		private readonly limits: Limits,
	) {}

	async checkAll(numbers: readonly ListNumber[]): Promise<void> {
		const { clock, width, stop } = this.item;
		const run = async (index: number) => {
			const number = numbers[index];
			if (number !== undefined) await this.check(number, index);
		};
		await runInOrder({ count: numbers.length, width, clock, stop, run });
		if (!stop.aborted) return;
		const stopped = new StoppedError();
		numbers.forEach((number, index) => {
			if (number.result === undefined) this.leave(number, index, 'not_checked', stopped);
		});
	}

	private async check(number: ListNumber, index: number): Promise<void> {
		if (this.end !== undefined) return this.leave(number, index, 'not_checked', this.end);
		const lost = new LostAttempts();
		const paid = await settle(
			async () => this.item.phoneChecks.findRow(number.key) ?? (await this.pay(number, lost)),
		);
		if (paid.ok) return this.take(number, paid.value);
		if (paid.error instanceof StoppedError) throw paid.error;
		const error = paid.error instanceof BudgetSpentError ? this.limitError() : paid.error;
		const isForAll = this.isForAll(error);
		if (paid.error !== error || (isForAll && this.item.hasGivenUp())) this.end = error;
		const isUnsent = !lost.any && (isForAll || error instanceof InputError);
		this.leave(number, index, isUnsent ? 'not_checked' : 'failed', error);
	}

	/** Whether every other number would get it, too. */
	private isForAll(error: unknown): boolean {
		if (concernsEverything(error)) return true;
		return this.item.hasGivenUp() && !(error instanceof ServiceError && isFinal(error));
	}

	private take(number: ListNumber, { result, cost = 0, item }: PaidRow): void {
		const isOfThisFile = item === this.item.itemIndex;
		number.result = result;
		number.from = isOfThisFile ? 'service' : 'before';
		if (isOfThisFile) this.cost += cost;
		this.item.report.done += 1;
	}

	private leave(
		number: ListNumber,
		index: number,
		kind: 'failed' | 'not_checked',
		error: unknown,
	): void {
		if (number.outdated === undefined) {
			number.result = this.gap(
				`${kind}: ${error instanceof Error ? error.message : String(error)}`,
			);
			this[kind] += number.rows;
		} else {
			Object.assign(number, { result: number.outdated, from: 'long ago' });
			this.outdated += number.rows;
		}
		if (index < (this.problem?.index ?? Infinity)) this.problem = { index, error };
		if (kind === 'not_checked') return;
		this.item.report.done += 1;
		this.item.report.failed += 1;
	}

	private async pay({ key, text }: ListNumber, own: LostAttempts): Promise<PaidRow> {
		const { item, limits } = this;
		const ask = async (...all: Attempts[]) => {
			const attempts: Attempts = {
				lost: () => all.forEach(({ lost }) => lost()),
				// Only money is counted anew: waiting for two budgets at once might never end.
				again: all.at(-1)?.again,
			};
			const record = await checkAt(item, text, attempts);
			return { result: this.resultOf(record), cost: priceOf(record), item: item.itemIndex };
		};
		const lost = { lost: () => own.lost() };
		return await this.checks.spend(
			{ key, most: limits.maxChecks },
			async (counted) =>
				await withinBudget(
					item.phoneChecks.payRow(
						key,
						limits.maxTotalCost,
						async (attempts) => await ask(lost, counted, attempts),
					),
					item,
				),
			() => 1,
		);
	}

	private resultOf(record: CheckRecord): RowResult {
		const isValid = !isSaid(record.error);
		const { mobile, phone_e164, provider, country, region } = record;
		return {
			valid: isValid ? 'TRUE' : 'FALSE',
			phone_e164: typeof phone_e164 === 'string' ? phone_e164 : '',
			mobile: isValid && typeof mobile === 'number' ? (mobile === 1 ? 'TRUE' : 'FALSE') : '',
			operator: this.shared(provider),
			country: this.shared(country),
			region: this.shared(region),
			reason: isValid ? '' : this.shared(withoutErrorKey(record).reason),
			checked_at: new Date(this.item.clock.wallTime()).toISOString(),
		};
	}

	private gap(reason: string): RowResult {
		const known = this.gaps.get(reason) ?? { ...NO_RESULT, reason };
		this.gaps.set(reason, known);
		return known;
	}

	private shared(value: unknown): string {
		const text = typeof value === 'string' ? value : '';
		const known = this.texts.get(text) ?? text;
		this.texts.set(known, known);
		return known;
	}

	private limitError(): InputError {
		return new InputError(
			`“Max Checks” is ${this.limits.maxChecks}, so this number was not checked`,
			'Raise it, or pass the output file to this operation again.',
		);
	}
}
