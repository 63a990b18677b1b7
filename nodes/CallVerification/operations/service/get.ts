import { getService } from '../../api/contract/methods';
import { noParameters } from '../../api/contract/requests';
import { defineOperation } from '../../run/operation';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get service',
	description: 'Get details of the service that the credential belongs to',
	fields: [],
	parameters: noParameters,
	async run(_parameters, item) {
		return await item.send(getService, {});
	},
});
