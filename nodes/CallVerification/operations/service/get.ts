import { getService } from '../../contract/methods';
import { defineOperation } from '../../run/operation';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get service settings',
	description: 'Get the settings of the service that the credential belongs to',
	costs: 'no',
	fields: [],
	parameters: getService.request,
	output: getService.response.fields,
	run: async (_parameters, item) => await item.send(getService, {}),
});
