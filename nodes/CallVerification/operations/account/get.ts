import { getAccount } from '../../api/contract/methods';
import { noParameters } from '../../api/contract/requests';
import { defineOperation } from '../../run/operation';
import { pick } from '../../run/outputShape';
import { toggle } from '../../run/parameterValue';
import { simplifyField } from '../sharedFields';

const SIMPLE_FIELDS = ['id', 'email', 'telegram_id', 'two_auth', 'updated', 'created'];

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description: 'Get your account details and recent activity',
	fields: [simplifyField],
	parameters: noParameters.extend({ simplify: toggle }),
	async run({ simplify }, item) {
		const output = await item.send(getAccount, {});
		return simplify ? pick(output, SIMPLE_FIELDS) : output;
	},
});
