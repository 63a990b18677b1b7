import { getAccount } from '../../api/contract/methods';
import { noParameters } from '../../api/contract/requests';
import { defineOperation } from '../operation';
import { pick, withoutErrorKey } from '../outputShape';
import { toggle } from '../parameterValue';
import { simplifyField } from '../simplifyField';

const SIMPLE_FIELDS = ['id', 'email', 'telegram_id', 'two_auth', 'updated', 'created'];

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description: 'Get the data of your account and its last actions',
	fields: [simplifyField],
	parameters: noParameters.extend({ simplify: toggle }),
	async run({ simplify }, item) {
		const output = withoutErrorKey(await item.send(getAccount, {}));
		return simplify ? pick(output, SIMPLE_FIELDS) : output;
	},
});
