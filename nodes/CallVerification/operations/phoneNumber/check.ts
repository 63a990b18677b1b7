import { z } from 'zod';

import { checkPhone } from '../../api/contract/methods';
import { checkPhoneRequest } from '../../api/contract/requests';
import { InputError } from '../../api/errors';
import { sameNumberKey } from '../../api/phone';
import { BudgetSpentError } from '../../runtime/budget';
import { settle } from '../../runtime/settled';
import type { ItemRun } from '../operation';
import { defineOperation } from '../operation';
import { isSaid, pick, withoutErrorKey } from '../outputShape';
import { amount, toggle } from '../parameterValue';
import { simplifyField } from '../simplifyField';

const MOST_COST = 1_000_000_000;

const SIMPLE_FIELDS = [
	'source',
	'valid',
	'reason',
	'phone',
	'phone_format',
	'mobile',
	'country_iso',
	'provider',
	'region',
	'cost',
];

export const check = defineOperation({
	value: 'check',
	name: 'Check',
	action: 'Check a phone number',
	description: 'Find out whether a number is valid, and its operator, country and region',
	fields: [
		{
			displayName: 'Phone Number',
			name: 'phone',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. +7 900 000-00-01',
			description: 'Number in any form; the service reads it as it is. Every check costs money.',
		},
		simplifyField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Max Total Cost',
					name: 'maxTotalCost',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 0,
					description:
						'When the checks of this run have cost so much, the numbers left are not checked and fail. 0 sets no limit.',
				},
				{
					displayName: 'Remove Duplicates',
					name: 'removeDuplicates',
					type: 'boolean',
					default: true,
					description:
						'Whether to check and pay for equal numbers once, also when they are written differently. Every item still gets its result.',
				},
			],
		},
	],
	parameters: checkPhoneRequest.extend({
		simplify: toggle,
		options: z.object({
			maxTotalCost: amount('Max Total Cost', MOST_COST).optional().default(0),
			removeDuplicates: toggle.optional().default(true),
		}),
	}),
	async run({ phone, simplify, options }, item) {
		const isShared = options.removeDuplicates;
		const key = isShared ? sameNumberKey(phone) : `${item.itemIndex} ${phone}`;
		const { answer, isDuplicate } = item.shareCheck(
			key,
			async () => await checkOnce(item, key, phone, options.maxTotalCost || Infinity),
		);
		const record = (await answer) as CheckRecord;

		const isValid = !isSaid(record.error);
		if (!isValid) item.report.invalid += 1;
		if (isDuplicate) item.report.duplicates += 1;
		const output = {
			reason: null,
			...withoutErrorKey(record),
			source: isDuplicate ? phone : (record.source ?? phone),
			valid: isValid,
			// Paid with the first of its kind: the column's sum is what was charged.
			...(isDuplicate && { cost: 0 }),
		};
		return simplify ? pick(output, SIMPLE_FIELDS) : output;
	},
});

type CheckRecord = z.output<typeof checkPhone.answer>;

/** Asks for what has not been paid for yet, within the limit of cost. */
async function checkOnce(item: ItemRun, key: string, phone: string, maxTotalCost: number) {
	const { paidChecks, report } = item;
	const known = paidChecks.get(key);
	if (known !== undefined) return known;

	const checked = await settle(
		async () =>
			await paidChecks.budget.spend(
				maxTotalCost,
				async () => await item.send(checkPhone, { phone }),
				costOf,
			),
	);
	if (!checked.ok) throw explain(checked.error);
	paidChecks.set(key, checked.value);
	report.cost += costOf(checked.value);
	return checked.value;
}

function costOf({ cost }: CheckRecord): number {
	return typeof cost === 'number' ? cost : 0;
}

function explain(error: unknown): unknown {
	if (!(error instanceof BudgetSpentError)) return error;
	return new InputError(
		`The checks of this run have cost ${error.spent}, so this number was not checked`,
		`“Max Total Cost” is ${error.most}. Raise it, or run the numbers that are left another time.`,
	);
}
