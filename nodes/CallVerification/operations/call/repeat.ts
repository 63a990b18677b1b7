import { initRepeat } from '../../api/contract/methods';
import { callReference } from '../../api/contract/requests';
import { defineOperation } from '../../run/operation';
import { omit } from '../../run/outputShape';
import { callIdField } from '../sharedFields';

export const repeat = defineOperation({
	value: 'repeat',
	name: 'Repeat (Deprecated)',
	action: 'Repeat call (deprecated)',
	description: 'Repeat an earlier call for free. The service no longer supports this.',
	builderHint: 'Deprecated: no longer supported by the service. Use Call: Start instead.',
	isForTools: false,
	fields: [
		{
			displayName:
				'Deprecated: the service no longer supports repeats. Use Start instead, which can send the same code.',
			name: 'deprecatedNotice',
			type: 'notice',
			default: '',
		},
		callIdField,
	],
	parameters: callReference,
	async run({ uid }, item) {
		const output = await item.send(initRepeat, { uid });
		return item.isTool ? omit(output, ['code']) : output;
	},
});
