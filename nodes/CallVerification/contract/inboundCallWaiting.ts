import { z } from 'zod';

import { flag, identifier, recordOf, requiredText, text } from './fields';
import { phone } from './request';

export const inboundCallWaiting = {
	name: 'inboundCallWaiting',
	verb: 'POST',
	repeatable: 'never',
	request: z.object({ phone, callback_url: z.string().regex(/^https?:\/\/./i) }),
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
} as const;
