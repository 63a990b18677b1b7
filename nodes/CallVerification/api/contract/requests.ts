import { z } from 'zod';

import { readCallbackUrl } from '../callbackUrl';
import { readCode } from '../code';
import { isRussian, isRussianOrKazakh, readFreePhoneText, readPhone } from '../phone';
import { readVendorId } from '../vendorId';
import { checkedBy, refuse } from './requestValue';

/** Section 4, parameters. Strict, because a wrong request costs money. */

const phone = checkedBy(readPhone);
const uid = checkedBy(readVendorId);

function shortText(label: string) {
	return z
		.union([z.string(), z.number()])
		.transform(String)
		.superRefine((content, context) => {
			if ([...content].length <= 64) return;
			refuse(context, `“${label}” is longer than 64 characters`, 'Shorten it to 64 characters.');
		});
}

export const initCallParameters = z.object({
	phone,
	code: checkedBy(readCode).optional(),
	client: shortText('Client').optional(),
	unique: shortText('Idempotency Key').optional(),
	voice: z.boolean().optional(),
	mix: z.boolean().optional(),
});

export const initCallRequest = initCallParameters.superRefine((request, context) => {
	const advice = 'Choose another “Delivery” for this number, e.g. “Caller Number”.';
	if (request.voice && !isRussianOrKazakh(request.phone)) {
		refuse(context, 'Voice calls are available only for numbers in Russia and Kazakhstan', advice);
	}
	if (request.mix && !isRussian(request.phone)) {
		refuse(context, 'Mixed calls are available only for numbers in Russia', advice);
	}
});

export const callReference = z.object({ uid });

export const inboundCallWaitingRequest = z.object({
	phone,
	callback_url: checkedBy(readCallbackUrl),
});

export const checkPhoneRequest = z.object({ phone: checkedBy(readFreePhoneText) });

export const noParameters = z.object({});
