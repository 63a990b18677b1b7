import { z } from 'zod';

import { flag, number, pick, text } from '../../contract/fields';
import { checkPhone } from '../../contract/methods';
import { anyValue } from '../../contract/request';
import { NOTHING_KNOWN } from '../../phones/phoneChecks';
import { beginsWith8, readPhoneToCheck, sameNumberKey } from '../../phones/phone';
import { defineOperation } from '../../run/operation';
import { optionsField, withPhone } from '../../run/options';
import type { OutputRecord } from '../../run/output';
import * as shared from '../sharedFields';

export const check = defineOperation({
	value: 'check',
	name: 'Check',
	action: 'Check phone number',
	description: 'Check whether a number is valid and get its operator, country and region',
	builderHint:
		'Costs money for each different number. Pass a whole list as items of one run, without a loop: the node paces and retries requests, and pays for duplicate numbers only once. For a list, set options.maxTotalCost and “On Error: Continue”. An invalid number is a result with valid = false, not an error; one that cannot be read has valid = null, and costs nothing.',
	costs: 'yes',
	nameKeptBy: 'input',
	hintBeforeRun: {
		when: '$rawParameter.phone.startsWith("=") && !$rawParameter.options?.maxTotalCost',
		message:
			'Every input item is checked. For a long list, add “Max Total Cost” under Options to cap the cost.',
	},
	fields: [
		shared.notice(
			'costNotice',
			'Every check costs money. Duplicate numbers in one run are billed only once.',
		),
		{
			...shared.phoneField,
			description: 'Phone number in any usual writing. What cannot be read is not sent.',
		},
		shared.simplifyField,
		{
			...optionsField,
			options: [
				shared.defaultCountryCodeField,
				{
					...shared.includeInputFieldsField,
					description:
						'Whether to also return the fields of the input item, unchanged. If the result has a field of the same name, such as phone, that is returned as result_phone.',
				},
				shared.maxTotalCostField,
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
			simplify: z.boolean(),
			options: z.object({
				defaultCountryCode: shared.defaultCountryCode,
				includeInputFields: z.boolean(),
				maxTotalCost: z.number(),
				removeDuplicates: z.boolean(),
			}),
		})
		.transform(withPhone(readPhoneToCheck)),
	// What people look for comes first, because more does not fit on the screen.
	output: {
		valid: flag('whether the number is valid; `null` if it cannot be read, and so was not sent'),
		phone_e164: text('the number as text, with plus and country code; empty for an invalid one'),
		mobile: checkPhone.response.fields.mobile,
		operator: checkPhone.response.fields.provider,
		reason: text(
			"`ok` for a valid number, else why it is not valid, in the service's words unless it was not sent",
		),
		...pick(checkPhone.response.fields, ['source', 'country', 'region', 'phone']),
		cost: number(
			'what this check cost; 0 for a duplicate and for a number that was not sent, `null` if the service does not say how much',
		),
	},
	async run({ phone, simplify, options }, item) {
		const isCodeMissing = options.defaultCountryCode === undefined && beginsWith8(phone.text);
		if (isCodeMissing) item.hint(shared.COUNTRY_CODE_HINT);
		if (phone.text === undefined) {
			item.report.unreadable += 1;
			const { source, problem: reason } = phone;
			// Not false: nobody has checked it, and it may well be somebody's number.
			return shaped({ ...NOTHING_KNOWN, reason, source, valid: null }, simplify);
		}
		const { source, text } = phone;
		const key = options.removeDuplicates ? sameNumberKey(text) : `${item.itemIndex} ${text}`;
		const { result, isDuplicate } = await item.phoneChecks.check(item, {
			key,
			text,
			maxTotalCost: options.maxTotalCost || Infinity,
		});
		if (!result.valid) item.report.invalid += 1;
		if (isDuplicate) item.report.duplicates += 1;
		const isAsSent = !isDuplicate && text === source;
		const record = {
			...result,
			// n8n's tables show empty text in red.
			reason: result.valid ? 'ok' : result.reason,
			source: isAsSent ? (result.source ?? source) : source,
			// The first one was billed, so the sum of the column is the total cost.
			...(isDuplicate && { cost: 0 }),
		};
		return shaped(record, simplify);
	},
});

/** The raw data keeps the service's names, but in both cases, what people look for comes first. */
function shaped(record: OutputRecord, isSimplified: boolean): OutputRecord {
	if (isSimplified && 'provider' in record) return { ...record, operator: record.provider };
	return { ...pick(record, ['valid', 'phone_e164', 'mobile', 'provider', 'reason']), ...record };
}
