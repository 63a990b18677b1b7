import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { authenticate } from '../nodes/CallVerification/api/authenticate';
import { PUBLIC_PLAIN_HTTP } from '../nodes/CallVerification/api/privateHost';

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
			placeholder: 'e.g. https://api.example.com',
			description: 'Address of your verification service, as its operator gave it to you',
		},
		{
			displayName:
				'Requests to an address with http:// are unencrypted: your key can be read on the way. Use https:// outside your own network.',
			name: 'plainHttpNotice',
			type: 'notice',
			default: '',
			displayOptions: {
				show: {
					addressMode: ['primary', 'fallback'],
					baseUrl: [{ _cnd: { regex: PUBLIC_PLAIN_HTTP } }],
				},
			},
		},
		{
			displayName: 'Secret Key',
			name: 'secretKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Secret key of your service, from the section My services of the personal cabinet',
		},
		{
			displayName: 'Service ID',
			name: 'serviceId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 1001',
			description: 'Identifier of your service, shown beside its secret key',
		},
		{
			displayName: 'Authentication Scheme',
			name: 'authScheme',
			type: 'options',
			options: [
				{
					name: 'Header',
					value: 'header',
					description: 'Key and service ID in the header of every request, the usual way',
				},
				{
					name: 'JSON Body',
					value: 'body',
					description: 'Key and service ID in the body of every request',
				},
				{
					name: 'Query String',
					value: 'query',
					description:
						'Key and service ID in the address of every request, where servers and proxies may log them',
				},
			],
			default: 'header',
			description:
				'How the key is sent. Keep Header unless the service refuses a key that is right.',
		},
		{
			displayName: 'Alternate Base URL',
			name: 'alternateBaseUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. http://alt.example.com',
			description: 'Second address of the service, for countries that block the first one',
		},
		{
			displayName: 'Address',
			name: 'addressMode',
			type: 'options',
			options: [
				{ name: 'Base URL Only', value: 'primary' },
				{ name: 'Base URL, Alternate if Unreachable', value: 'fallback' },
				{ name: 'Alternate Base URL Only', value: 'alternate' },
			],
			default: 'primary',
			description: 'Which of the two addresses requests go to',
		},
		{
			displayName:
				'Requests to the alternate address are unencrypted: your key can be read on the way. Use it only where the first address is blocked.',
			name: 'alternateNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { addressMode: ['fallback', 'alternate'] } },
		},
	];

	authenticate = authenticate;
}
