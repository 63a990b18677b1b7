import type { INodeProperties } from 'n8n-workflow';

export const phoneField: INodeProperties = {
	displayName: 'Phone Number',
	name: 'phone',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. +7 900 000-00-01',
	description: 'Number with its country code. Spaces, hyphens, dots and parentheses may stay.',
};
