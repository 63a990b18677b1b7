import { checkPhone } from '../contract/methods';
import { WRONG_NUMBER } from '../contract/errorCodes';
import { InputError } from '../contract/request';
import { ServiceError } from '../transport/errors';
import type { Attempts } from '../pacing/retry';
import { BudgetSpentError, type KeptResults } from '../pacing/budget';
import { type Clock, settled } from '../pacing/time';
import { readE164 } from './phone';

type PlainRecord = Readonly<Record<string, unknown>>;
/** The record of a check, with its error in words; those are empty for a valid number. */
export type CheckResult = PlainRecord & { valid: boolean; phone_e164: string; reason: string };

export interface CheckContext {
	send(
		method: typeof checkPhone,
		parameters: { phone: string },
		options: { attempts: Attempts },
	): Promise<PlainRecord>;
	hint(message: string): void;
}

/** For all spellings of a number, which have the same key. Infinity is no limit. */
type Payment = Readonly<{ key: string; maxTotalCost: number }>;

/** All checks of one run: each number is sent once, within the cost limit. */
export class PhoneChecks {
	/** By key: the first item asks, the others share its result or failure. */
	private readonly checks = new Map<string, Promise<CheckResult>>();

	constructor(
		private readonly kept: Pick<KeptResults, 'budget' | 'find' | 'add'>,
		private readonly clock: Clock,
	) {}

	get haveCost(): boolean {
		const { known, unpriced } = this.kept.budget.spending;
		return known + unpriced > 0;
	}

	async check(context: CheckContext, { text, ...payment }: Payment & { readonly text: string }) {
		const ask = async (attempts: Attempts) => await checkAt(context, text, attempts);
		const findOrPay = async () =>
			this.find<CheckResult>(payment.key) ?? (await this.pay(context, payment, ask, priceOf));
		const known = this.checks.get(payment.key);
		const check = known ?? findOrPay();
		this.checks.set(payment.key, check);
		return { result: await check, isDuplicate: known !== undefined };
	}

	/** What `pay` has added under this key, and nothing else does. */
	find<Result>(key: string): Result | undefined {
		return this.kept.find(key, this.clock.wallTime()) as Result | undefined;
	}

	/** Throws an InputError if the checks have cost `maxTotalCost`, or may have. */
	async pay<Result extends PlainRecord>(
		context: CheckContext,
		{ key, maxTotalCost }: Payment,
		ask: (attempts: Attempts) => Promise<Result>,
		costOf: (result: Result) => number | undefined,
	): Promise<Result> {
		const paid = await settled(this.kept.budget.spend({ key, most: maxTotalCost }, ask, costOf));
		if (paid.status === 'rejected') throw limitError(paid.reason, context);
		this.kept.add(key, paid.value);
		return paid.value;
	}
}

/** All fields of an invalid number, so that all rows have the same columns. A balance of 0 would raise alarms. */
export const NOTHING_KNOWN = {
	phone_e164: '',
	...Object.fromEntries(
		Object.entries(checkPhone.response.fields)
			.filter(([name]) => name !== 'source' && name !== 'error')
			.map(([name, { type }]) => [name, type === 'number' ? 0 : '']),
	),
	balance: null,
};

/** Some services report an invalid number as an error object instead of a record. */
export async function checkAt(
	context: CheckContext,
	phone: string,
	attempts: Attempts,
): Promise<CheckResult> {
	const sent = await settled(context.send(checkPhone, { phone }, { attempts }));
	if (sent.status === 'fulfilled') {
		const { error, ...record } = sent.value;
		const reason = errorWords(error);
		const valid = reason === '';
		return { ...record, reason, valid, phone_e164: valid ? readE164(record.phone, phone) : '' };
	}
	const error: unknown = sent.reason;
	if (!(error instanceof ServiceError) || error.code !== WRONG_NUMBER) throw error;
	return { reason: errorWords(error.words), ...NOTHING_KNOWN, source: phone, valid: false };
}

export function errorWords(error: unknown): string {
	if (typeof error === 'string') return error;
	return error === undefined || error === null || error === false ? '' : JSON.stringify(error);
}

/** A price below zero is none: it would raise the limit. */
export const priceOf = ({ cost }: CheckResult) =>
	typeof cost === 'number' && cost >= 0 ? cost : undefined;

function limitError(error: unknown, context: CheckContext): unknown {
	if (!(error instanceof BudgetSpentError)) return error;
	const limit = `“Max Total Cost” is ${money(error.most)}`;
	if (error.spent === undefined) {
		context.hint(
			'“Max Total Cost” ended the run, because no response had a readable price to count. See “cost” in the output.',
		);
		return new InputError(
			'No check of this run has returned a price, so this number was not checked',
			`${limit}, and an earlier check may have been charged. Try again later. If the service never returns a price, set the limit to 0 and check fewer numbers at a time.`,
		);
	}
	const spent = money(error.spent);
	const message = error.isCertain
		? `The checks of this run have cost ${spent}, so this number was not checked`
		: `The checks of this run may have cost ${spent}, so no further request was sent for this number`;
	const counted = error.isCertain
		? ''
		: ' A request whose response was lost or has no readable price counts as the highest price so far.';
	const advice = 'Raise it, or check the remaining numbers in another run.';
	return new InputError(message, `${limit}.${counted} ${advice}`);
}

/** Removes rounding errors from sums of decimal prices. */
export const money = (value: number) => String(Number(value.toFixed(6)));
