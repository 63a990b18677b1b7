import { initRepeat } from '../../api/contract/initRepeat';
import { defineOperation } from '../../run/operation';
import { callIdField } from '../sharedFields';

export const repeat = defineOperation({
	value: 'repeat',
	name: 'Repeat (Deprecated)',
	action: 'Repeat call (deprecated)',
	description: 'Repeat an earlier call free of charge; the service no longer supports this',
	builderHint: 'Deprecated, the service no longer supports it. Use Call: Start again instead.',
	costs: 'no',
	isForTools: false,
	fields: [
		{
			displayName:
				'Deprecated: the service no longer supports repeats. Use Start instead; it can be given the same code.',
			name: 'deprecatedNotice',
			type: 'notice',
			default: '',
		},
		callIdField,
	],
	parameters: initRepeat.request,
	output: initRepeat.answer.fields,
	async run({ uid }, item) {
		return await item.send(initRepeat, { uid });
	},
});
