import { z } from 'zod';

import { readCode } from '../codes/code';
import { isRussian, isRussianOrKazakh } from '../phones/phone';
import { recordOf } from './answerRecord';
import { flag, fourDigits, identifier, text } from './answerValue';
import { phone, shortText } from './parameter';
import { checkedBy, refuse } from './requestValue';
import type { ServiceMethod } from './serviceMethod';

export const initCallParameters = z.object({
	phone,
	code: checkedBy(readCode).optional(),
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
		if (request.voice && !isRussianOrKazakh(request.phone)) {
			refuse(
				context,
				'“Spoken Code” is available only for numbers in Russia and Kazakhstan',
				advice,
			);
		}
		if (request.mix && !isRussian(request.phone)) {
			refuse(context, '“Both” is available only for numbers in Russia', advice);
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
} as const satisfies ServiceMethod;
