import { InputError } from '../contract/request';
import { concernsEverything, isFinal } from '../transport/errors';
import { Budget, BudgetSpentError } from '../pacing/budget';
import { type Attempts, LostAttempts } from '../pacing/retry';
import { type Clock, runInOrder, settled, StoppedError } from '../pacing/time';
import { NO_RESULT, type RowResult } from './resultColumns';
import type { ListNumber } from './listNumbers';
import { asSent } from './phone';
import type { CheckContext, CheckResult, PhoneChecks } from './phoneChecks';
import { checkAt, priceOf } from './phoneChecks';

interface ListContext extends CheckContext {
	readonly itemIndex: number;
	readonly clock: Clock;
	readonly width: number;
	readonly stop: AbortSignal;
	readonly phoneChecks: PhoneChecks;
	readonly report: { done: number; failed: number };
	hasGivenUp(): boolean;
}

/** A check for rows of a file. Not the whole record, because a file can have 100,000 numbers. */
type PaidRow = RowResult & Readonly<{ cost: number | undefined; item: number }>;

/** Checks the numbers of one file. No failure ends it, because a file with gaps can be continued and a lost one cannot. */
export class ListChecks {
	cost = 0;
	/** How many numbers had a price, or one that nobody knows. */
	paid = 0;
	/** The problem of the first number that has one. */
	problem: { readonly index: number; readonly error: unknown } | undefined;
	/** Counts checks: a lost one may have been charged, as with money. */
	private readonly checks = new Budget({ dearest: 1 });
	private endedBy: unknown;
	/** The same few texts come with every record, and the same few reasons with every gap. */
	private readonly texts = new Map<string, string>();
	private readonly gaps = new Map<string, RowResult>();

	constructor(
		private readonly context: ListContext,
		/** Checks of this file, and cost of the run; Infinity for no limit. */
		private readonly limits: { readonly maxChecks: number; readonly maxTotalCost: number },
	) {}

	async checkAll(numbers: readonly ListNumber[]): Promise<void> {
		const { clock, width, stop } = this.context;
		const run = async (index: number) => {
			const number = numbers[index];
			if (number !== undefined) await this.check(number, index);
		};
		await runInOrder({ count: numbers.length, width, clock, stop, run });
		if (!stop.aborted) return;
		const stopped = new StoppedError();
		for (const [index, number] of numbers.entries()) {
			if (number.result === undefined) this.leave(number, index, stopped, 'not_checked');
		}
	}

	private async check(number: ListNumber, index: number): Promise<void> {
		const known = this.context.phoneChecks.find<PaidRow>(number.key);
		if (known !== undefined) return this.take(number, known);
		if (this.endedBy !== undefined) return this.leave(number, index, this.endedBy, 'not_checked');
		const lost = new LostAttempts();
		const paid = await settled(this.pay(number, lost));
		if (paid.status === 'fulfilled') return this.take(number, paid.value);
		if (paid.reason instanceof StoppedError) throw paid.reason;
		const isLimit = paid.reason instanceof BudgetSpentError;
		const error: unknown = isLimit
			? new InputError(
					`“Max Checks” is ${this.limits.maxChecks}, so this number was not checked`,
					'Raise it, or pass the output file to this operation again.',
				)
			: paid.reason;
		const hasGivenUp = this.context.hasGivenUp();
		const isOfEveryNumber = concernsEverything(error) || (hasGivenUp && !isFinal(error));
		if (isLimit || (isOfEveryNumber && hasGivenUp)) this.endedBy = error;
		const isUnsent = !lost.any && (isOfEveryNumber || error instanceof InputError);
		this.leave(number, index, error, isUnsent ? 'not_checked' : 'failed');
	}

	private async pay({ key, text }: ListNumber, own: LostAttempts): Promise<PaidRow> {
		const { context, checks } = this;
		const { maxChecks, maxTotalCost } = this.limits;
		const pay = async (counted: Attempts) => {
			const ask = async (paid: Attempts) => {
				const lost = () => [own, counted, paid].forEach((attempts) => attempts.lost());
				// Only money is counted anew: waiting for two budgets at once might never end.
				const result = await checkAt(context, text, { lost, again: paid.again });
				return this.rowOf(result, text);
			};
			return await context.phoneChecks.pay(context, { key, maxTotalCost }, ask, ({ cost }) => cost);
		};
		return await checks.spend({ key, most: maxChecks }, pay, () => 1);
	}

	private take(number: ListNumber, paid: PaidRow): void {
		const { cost, item } = paid;
		const isOfThisFile = item === this.context.itemIndex;
		number.result = paid;
		number.from = isOfThisFile ? 'service' : 'before';
		if (isOfThisFile) {
			this.cost += cost ?? 0;
			if (cost !== 0) this.paid += 1;
		}
		this.context.report.done += 1;
	}

	private leave(number: ListNumber, index: number, error: unknown, kind: 'failed' | 'not_checked') {
		if (index < (this.problem?.index ?? Infinity)) this.problem = { index, error };
		const reason = `${kind}: ${error instanceof Error ? error.message : String(error)}`;
		const gap = this.gaps.get(reason) ?? { ...NO_RESULT, reason };
		this.gaps.set(reason, gap);
		number.result = number.outdated ?? gap;
		number.from = number.outdated === undefined ? kind : 'outdated';
		if (kind === 'not_checked') return;
		this.context.report.done += 1;
		this.context.report.failed += 1;
	}

	private rowOf(result: CheckResult, text: string): PaidRow {
		const { valid, mobile, provider, country, region, reason } = result;
		// So that nobody pays for an invalid one again, as long as its cell stays the same.
		const number = valid ? result.phone_e164 : asSent(text);
		return {
			valid: valid ? 'TRUE' : 'FALSE',
			// Most numbers are the same text, which then is in memory only once.
			phone_e164: number === text ? text : number,
			mobile: valid ? mobileCell(mobile) : '',
			operator: this.shared(provider),
			country: this.shared(country),
			region: this.shared(region),
			reason: this.shared(reason),
			checked_at: this.shared(this.secondNow()),
			cost: priceOf(result),
			item: this.context.itemIndex,
		};
	}

	/** To the second, so that many results have the same text. */
	private secondNow(): string {
		const now = this.context.clock.wallTime();
		return new Date(now - (now % 1_000)).toISOString();
	}

	private shared(value: unknown): string {
		const text = typeof value === 'string' ? value : '';
		const known = this.texts.get(text) ?? text;
		this.texts.set(known, known);
		return known;
	}
}

/** Empty where the service does not say. */
function mobileCell(mobile: unknown): string {
	if (typeof mobile !== 'number') return '';
	return mobile === 1 ? 'TRUE' : 'FALSE';
}
