import { z } from 'zod';

import { anyValue } from '../../api/contract/anyValue';
import { checkPhone } from '../../api/contract/checkPhone';
import { WRONG_NUMBER } from '../../api/contract/errorCodes';
import { InputError, ServiceError } from '../../api/errors';
import { readE164, readPhoneToCheck, sameNumberKey } from '../../api/phone';
import type { Attempts } from '../../runtime/attempts';
import { BudgetSpentError, UnknownCostError } from '../../runtime/budget';
import { settle } from '../../runtime/settled';
import { includeInputFields, includeInputFieldsField } from '../../run/inputFields';
import { money } from '../../run/runReport';
import { defineOperation, type ItemRun, type OutputRecord } from '../../run/operation';
import { isSaid, pick } from '../../run/outputShape';
import { decimalNumber, toggle } from '../../run/parameterValue';
import {
	COUNTRY_CODE_HINT,
	defaultCountryCode,
	defaultCountryCodeField,
	phoneField,
	simplifyField,
	withPhone,
} from '../sharedFields';
import type { CheckRecord } from '../../run/phoneChecks';

const MOST_COST = 1_000_000_000;

/**
 * All fields of an invalid number, so that all rows of a list have the same columns. The balance is unknown, and 0 would
 * raise alarms.
 */
const NOTHING_KNOWN = {
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

export const check = defineOperation({
	value: 'check',
	name: 'Check',
	action: 'Check phone number',
	description: 'Check whether a number is valid and get its operator, country and region',
	builderHint:
		'Costs money for each different number. Pass a whole list as items of one run, without a loop: the node paces and retries requests, and pays for duplicate numbers only once. For a list, set options.maxTotalCost and “On Error: Continue”. An invalid number is a result with valid = false, not an error.',
	costs: 'yes',
	nameKeptBy: 'input',
	hintBeforeRun: {
		when: '$rawParameter.phone.startsWith("=") && !$rawParameter.options?.maxTotalCost',
		message:
			'Every input item is checked. For a long list, add “Max Total Cost” under Options to cap the cost.',
	},
	fields: [
		{
			displayName: 'Every check costs money. Duplicate numbers in one run are billed only once.',
			name: 'costNotice',
			type: 'notice',
			default: '',
		},
		{
			...phoneField,
			description: 'Phone number in any format. The service interprets it.',
		},
		simplifyField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				defaultCountryCodeField,
				{
					...includeInputFieldsField,
					description:
						'Whether to also return the fields of the input item, unchanged. If the result has a field of the same name, such as phone, that is returned as result_phone.',
				},
				{
					displayName: 'Max Total Cost',
					name: 'maxTotalCost',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 0,
					builderHint: {
						propertyHint:
							'Set this for every list, in the currency of the account. Ask the user how much one run may cost.',
					},
					description:
						'Maximum total cost of the checks in this run. Numbers beyond it fail without being checked. If a price cannot be read, the highest so far counts; without one, the run ends. Set to 0 for no limit.',
				},
				{
					displayName: 'Remove Duplicates',
					name: 'removeDuplicates',
					type: 'boolean',
					default: true,
					description:
						'Whether to check and pay for duplicate numbers only once, even if they are written differently. Every item still gets its result.',
				},
			],
		},
	],
	optionsOfRun: ['maxTotalCost'],
	parameters: z
		.object({
			phone: anyValue,
			simplify: toggle,
			options: z.object({
				defaultCountryCode,
				includeInputFields,
				maxTotalCost: decimalNumber('Max Total Cost', MOST_COST).optional().default(0),
				removeDuplicates: toggle.optional().default(true),
			}),
		})
		.transform(withPhone(readPhoneToCheck)),
	// What people look for comes first, because more does not fit on the screen.
	output: {
		source: checkPhone.answer.fields.source,
		valid: { type: 'boolean', meaning: 'whether the number is valid' },
		phone_e164: {
			type: 'string',
			meaning: 'the number as text, with plus and country code; empty for an invalid one',
		},
		...pick(checkPhone.answer.fields, ['mobile', 'provider', 'country', 'region']),
		reason: {
			type: 'string',
			meaning:
				"why it is not valid, in the service's words unless it was not sent; empty for a valid number",
		},
		...pick(checkPhone.answer.fields, ['phone', 'country_iso']),
		cost: {
			type: 'number',
			meaning:
				'what this check cost; 0 for a duplicate and for a number that was not sent, `null` if the service does not say how much',
		},
	},
	async run({ phone, isCodeMissing, options }, item) {
		if (isCodeMissing) item.hint(COUNTRY_CODE_HINT);
		if (phone.problem !== undefined) {
			item.report.invalid += 1;
			return unsentCheck(phone.source, phone.problem);
		}
		const { source, text } = phone;
		const key = options.removeDuplicates ? sameNumberKey(text) : `${item.itemIndex} ${text}`;
		const { answer, isDuplicate } = item.phoneChecks.check(
			key,
			options.maxTotalCost || Infinity,
			async (attempts) => await checkAt(item, text, attempts),
		);
		const record = await withinBudget(answer, item);

		const isValid = !isSaid(record.error);
		if (!isValid) item.report.invalid += 1;
		if (isDuplicate) item.report.duplicates += 1;
		const isAsSent = !isDuplicate && text === source;
		return inOrder({
			reason: '',
			...record,
			source: isAsSent ? (record.source ?? source) : source,
			valid: isValid,
			// The first one was billed, so the sum of the column is the total cost.
			...(isDuplicate && { cost: 0 }),
		});
	},
});

/** Some services report an invalid number as an error object instead of a record. */
export async function checkAt(
	item: ItemRun,
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

export async function withinBudget<T>(answer: Promise<T>, item: ItemRun): Promise<T> {
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

/** The result for a number that was not sent. */
function unsentCheck(source: string, reason: string): OutputRecord {
	return inOrder({ ...NOTHING_KNOWN, reason, source, valid: false });
}

/** With “Simplify” off, too, what people look for comes first. */
function inOrder(record: OutputRecord): OutputRecord {
	return { ...pick(record, ['source', 'valid', 'phone_e164', 'mobile']), ...record };
}
