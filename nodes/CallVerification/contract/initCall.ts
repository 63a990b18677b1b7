import { z } from 'zod';

import { flag, fourDigits, identifier, recordOf, text } from './fields';
import { phone, reject, shortText } from './request';

/** They share country code 7; the numbers of Kazakhstan begin with 76 or 77. */
const RUSSIA_AND_KAZAKHSTAN = /^7/;
const RUSSIA = /^7(?![67])/;

export const initCallParameters = z.object({
	phone,
	code: z
		.string()
		.regex(/^(?!0000)\d{4}$/)
		.optional(),
	client: shortText('Customer ID').optional(),
	unique: shortText('Idempotency Key').optional(),
	voice: z.boolean().optional(),
	mix: z.boolean().optional(),
});

export const initCall = {
	name: 'initCall',
	verb: 'POST',
	repeatable: 'withKey',
	request: initCallParameters.superRefine((request, context) => {
		const advice = 'Choose another “Delivery” for this number, e.g. “Missed Call”.';
		if (request.voice && !RUSSIA_AND_KAZAKHSTAN.test(String(request.phone))) {
			reject(
				context,
				'“Spoken Code” is available only for numbers in Russia and Kazakhstan',
				advice,
			);
		}
		if (request.mix && !RUSSIA.test(String(request.phone))) {
			reject(context, '“Both” is available only for numbers in Russia', advice);
		}
	}),
	response: recordOf({
		status: flag('whether the call was started; false if the person could not be reached'),
		vendor_id: identifier(
			'identifier of the call; the Call ID of the other operations',
			'ucaller_id',
		),
		phone: text('the number that is called, masked by the service'),
		code: fourDigits('the code, with its leading zeros'),
		client: text('what was entered as Customer ID'),
		unique_request_id: text('the idempotency key that was sent'),
		exists: flag('the service knew that key already: no second call, no new cost'),
	}),
} as const;
