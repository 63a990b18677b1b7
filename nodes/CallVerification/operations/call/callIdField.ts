import type { INodeProperties } from 'n8n-workflow';

export const callIdField: INodeProperties = {
	displayName: 'Call ID',
	name: 'uid',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1234567',
	description: 'Identifier of the call: the vendor_id that Start returned',
};
