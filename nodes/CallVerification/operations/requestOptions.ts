import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { seconds } from './parameterValue';

const DEFAULT_TIMEOUT = 30;
const MOST_TIMEOUT = 300;

export const requestOptionsField: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MOST_TIMEOUT },
			default: DEFAULT_TIMEOUT,
			description: 'How long one request may take in all before it counts as unanswered',
		},
	],
};

export const requestOptions = z.object({
	timeout: seconds('Timeout', MOST_TIMEOUT).optional().default(DEFAULT_TIMEOUT),
});
