import { pick } from '../../contract/fields';
import { getAccount } from '../../contract/methods';
import { defineOperation } from '../../run/operation';
import { toggle } from '../../run/options';
import { simplifyField } from '../sharedFields';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description: 'Get your account details and recent activity',
	costs: 'no',
	fields: [simplifyField],
	parameters: getAccount.request.extend({ simplify: toggle }),
	output: pick(getAccount.response.fields, [
		'id',
		'email',
		'telegram_id',
		'two_auth',
		'updated',
		'created',
	]),
	async run(_parameters, item) {
		return await item.send(getAccount, {});
	},
});
