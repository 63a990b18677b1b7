import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { authenticate } from '../nodes/CallVerification/transport/credential';

export class CallVerificationApi implements ICredentialType {
	name = 'callVerificationApi';

	displayName = 'Call Verification API';

	icon: Icon = {
		light: 'file:../icons/callVerification.svg',
		dark: 'file:../icons/callVerification.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-call-verification/n8n-nodes-call-verification#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.ucaller.ru',
			description:
				'Address of the verification service. Requests to an http:// address are not encrypted, so others can read your key.',
		},
		{
			displayName: 'Secret Key',
			name: 'secretKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Secret key of your service, from My services in your account',
		},
		{
			displayName: 'Service ID',
			name: 'serviceId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 1001',
			description: 'ID of your service, shown next to its secret key',
		},
		{
			displayName: 'Authentication Scheme',
			name: 'authScheme',
			type: 'options',
			options: [
				{
					name: 'Header',
					value: 'header',
					description: 'Send the key and service ID in a header (recommended)',
				},
				{
					name: 'JSON Body',
					value: 'body',
					description: 'Send the key and service ID in the request body',
				},
				{
					name: 'Query String',
					value: 'query',
					description:
						'Send the key and service ID in the URL, where servers and proxies may log them',
				},
			],
			default: 'header',
			description: 'How to send the key. Keep Header unless the service refuses a valid key.',
		},
		{
			displayName: 'Address',
			name: 'addressMode',
			type: 'options',
			options: [
				{ name: 'Base URL', value: 'primary' },
				{ name: 'Alternate Base URL', value: 'alternate' },
			],
			default: 'primary',
			description: 'Which address to send requests to',
		},
		{
			displayName: 'Alternate Base URL',
			name: 'alternateBaseUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. http://api.ucaller.net',
			displayOptions: { show: { addressMode: ['alternate'] } },
			description: 'Second address of the service, for countries where the first is blocked',
		},
		{
			displayName:
				'Requests to the alternate address are not encrypted, so others can read your key. Use it only where the first address is blocked.',
			name: 'alternateNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { addressMode: ['alternate'] } },
		},
	];

	authenticate = authenticate;
}
