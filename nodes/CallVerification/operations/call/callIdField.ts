import type { INodeProperties } from 'n8n-workflow';

export const callIdField: INodeProperties = {
	displayName: 'Call ID',
	name: 'uid',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1234567',
	description: 'The vendor_id of the call, from the output of Start',
};
