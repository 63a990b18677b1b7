import { z } from 'zod';

import { codesMatch, readCode } from '../../api/code';
import { callReference } from '../../api/contract/requests';
import { checkedBy } from '../../api/contract/requestValue';
import { ServiceError } from '../../api/errors';
import { includeInputFields, includeInputFieldsField } from '../inputFields';
import { notForTools } from '../notForTools';
import { defineOperation } from '../operation';
import { pick } from '../outputShape';
import { callIdField } from './callIdField';
import { readCall } from './callResult';

export const checkCode = defineOperation({
	value: 'checkCode',
	name: 'Check Code',
	action: 'Check code typed by person',
	description: 'Compare the code a person typed with the code of the call, without showing it',
	fields: [
		callIdField,
		{
			displayName: 'Code',
			name: 'code',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 0042',
			description: 'The four digits the person typed',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions: notForTools,
			options: [includeInputFieldsField],
		},
	],
	parameters: callReference.extend({
		code: checkedBy(readCode),
		options: z.object({ includeInputFields }),
	}),
	async run({ uid, code }, item) {
		const record = await readCall(item, uid);
		if (typeof record.code !== 'string' || record.code === '') {
			throw new ServiceError('The verification service does not tell the code of this call', {
				failure: 'refused',
				advice: 'Check the call ID. Only calls made by “Call: Start” have a code.',
			});
		}
		return {
			matched: codesMatch(record.code, code),
			...pick(record, ['vendor_id', 'call_status', 'call_state']),
		};
	},
});
