import { initRepeat } from '../../api/contract/methods';
import { callReference } from '../../api/contract/requests';
import { defineOperation } from '../operation';
import { omit, withoutErrorKey } from '../outputShape';
import { callIdField } from './callIdField';

export const repeat = defineOperation({
	value: 'repeat',
	name: 'Repeat (Deprecated)',
	action: 'Repeat call (deprecated)',
	description: 'Repeat an earlier call free of charge; the service no longer supports this',
	builderHint: 'Deprecated, the service no longer supports it. Use Call: Start again instead.',
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
	parameters: callReference,
	async run({ uid }, item) {
		const output = withoutErrorKey(await item.send(initRepeat, { uid }));
		return item.isTool ? omit(output, ['code']) : output;
	},
});
