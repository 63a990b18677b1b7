import { z } from 'zod';

import { initRepeat } from '../../contract/methods';
import { defineOperation } from '../../run/operation';
import { callId, callIdField, notice } from '../sharedFields';

export const repeat = defineOperation({
	value: 'repeat',
	name: 'Repeat (Deprecated)',
	action: 'Repeat call (deprecated)',
	description: 'Repeat an earlier call for free. The service no longer supports this.',
	builderHint: 'Deprecated: no longer supported by the service. Use Call: Start instead.',
	costs: 'no',
	isForTools: false,
	fields: [
		notice(
			'deprecatedNotice',
			'Deprecated: the service no longer supports repeats. Use Start instead, which can send the same code.',
		),
		callIdField,
	],
	parameters: z.object({ uid: callId }),
	output: initRepeat.response.fields,
	run: async ({ uid }, item) =>
		await item.once(['repeat', uid], {}, async () => await item.send(initRepeat, { uid })),
});
