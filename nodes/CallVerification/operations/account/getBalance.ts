import { getBalance as method } from '../../contract/methods';
import { defineOperation } from '../../run/operation';

export const getBalance = defineOperation({
	value: 'getBalance',
	name: 'Get Balance',
	action: 'Get account balance',
	description: 'Get the balance and tariff of your account',
	costs: 'no',
	fields: [],
	parameters: method.request,
	output: method.response.fields,
	run: async (_parameters, item) => await item.send(method, {}),
});
