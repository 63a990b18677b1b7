import { getBalance as getBalanceMethod } from '../../api/contract/methods';
import { noParameters } from '../../api/contract/requests';
import { defineOperation } from '../../run/operation';

export const getBalance = defineOperation({
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get account balance',
	description: 'Get the balance and tariff of your account',
	fields: [],
	parameters: noParameters,
	async run(_parameters, item) {
		return await item.send(getBalanceMethod, {});
	},
});
