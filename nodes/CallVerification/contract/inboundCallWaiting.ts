import { z } from 'zod';

import { readCallbackUrl } from '../inbound/callbackUrl';
import { recordOf } from './answerRecord';
import { flag, identifier, requiredText, text } from './answerValue';
import { phone } from './parameter';
import { checkedBy } from './requestValue';
import type { ServiceMethod } from './serviceMethod';

export const inboundCallWaiting = {
	name: 'inboundCallWaiting',
	verb: 'POST',
	repeatable: 'never',
	request: z.object({ phone, callback_url: checkedBy(readCallbackUrl) }),
	response: recordOf({
		status: flag('the service accepted the request'),
		vendor_id: identifier(
			'identifier of the call; the Call ID of Wait, and `callId` of the event',
			'ucaller_id',
		),
		phone: text("the person's number, masked by the service"),
		confirmation_number: requiredText(
			'the number to call, as the service writes it: show it to the person with a plus in front',
		),
	}),
} as const satisfies ServiceMethod;
