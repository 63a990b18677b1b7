import { getAccount } from '../../contract/getAccount';
import { defineOperation } from '../../run/operation';
import { pick } from '../../run/output';
import { toggle } from '../../run/fieldValues';
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
