import { getBalance as getBalanceMethod } from '../../api/contract/methods';
import { noParameters } from '../../api/contract/requests';
import { defineOperation } from '../../run/operation';

export const getBalance = defineOperation({
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get balance of account',
	description: 'Get the balance and the tariff of your account',
	fields: [],
	parameters: noParameters,
	async run(_parameters, item) {
		return await item.send(getBalanceMethod, {});
	},
});
