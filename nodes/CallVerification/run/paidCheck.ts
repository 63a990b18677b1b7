import { checkPhone } from '../contract/checkPhone';
import { WRONG_NUMBER } from '../contract/errorCodes';
import { ServiceError } from '../transport/errors';
import { InputError } from '../contract/request';
import { readE164 } from '../phones/phone';
import type { Attempts } from '../pacing/retry';
import { BudgetSpentError, UnknownCostError } from '../pacing/budget';
import { settle } from '../pacing/settled';
import type { ItemContext } from './operation';
import { isSaid } from './output';
import type { CheckRecord } from './phoneChecks';
import { money } from './report';

/**
 * All fields of an invalid number, so that all rows of a list have the same columns. The balance is unknown, and 0 would
 * raise alarms.
 */
export const NOTHING_KNOWN = {
	phone_e164: '',
	mobile: 0,
	phone: 0,
	country_iso: '',
	country_code: 0,
	mnc: 0,
	number: 0,
	provider: '',
	company: '',
	country: '',
	region: '',
	city: '',
	phone_format: '',
	cost: 0,
	balance: null,
};

/** Some services report an invalid number as an error object instead of a record. */
export async function checkAt(
	item: ItemContext,
	phone: string,
	attempts: Attempts,
): Promise<CheckRecord> {
	const result = await settle(async () => await item.send(checkPhone, { phone }, { attempts }));
	if (result.ok) {
		const { phone: digits, error } = result.value;
		return { ...result.value, phone_e164: isSaid(error) ? '' : readE164(digits, phone) };
	}
	const { error } = result;
	if (!(error instanceof ServiceError) || error.code !== WRONG_NUMBER) throw error;
	return { ...NOTHING_KNOWN, source: phone, error: error.words };
}

export async function withinBudget<T>(answer: Promise<T>, item: ItemContext): Promise<T> {
	const result = await settle(async () => await answer);
	if (result.ok) return result.value;
	if (result.error instanceof BudgetSpentError) throw spentError(result.error);
	if (!(result.error instanceof UnknownCostError)) throw result.error;
	item.hint(
		'“Max Total Cost” ended the run, because no response had a readable price to count. See “cost” in the output.',
	);
	throw new InputError(
		'No check of this run has returned a price, so this number was not checked',
		`“Max Total Cost” is ${money(result.error.most)}, and an earlier check may have been charged. Try again later. If the service never returns a price, set the limit to 0 and check fewer numbers at a time.`,
	);
}

function spentError({ spent, most, isCertain }: BudgetSpentError): InputError {
	const limit = `“Max Total Cost” is ${money(most)}.`;
	const advice = 'Raise it, or check the remaining numbers in another run.';
	if (isCertain) {
		return new InputError(
			`The checks of this run have cost ${money(spent)}, so this number was not checked`,
			`${limit} ${advice}`,
		);
	}
	return new InputError(
		`The checks of this run may have cost ${money(spent)}, so no further request was sent for this number`,
		`${limit} A request whose response was lost or has no readable price counts as the highest price so far. ${advice}`,
	);
}
