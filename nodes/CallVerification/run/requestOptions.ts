import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { parseInput } from '../contract/request';
import { WIDEST } from '../pacing/quota';
import { decimalNumber, seconds, wholeNumber } from './fieldValues';
import type { OptionValues } from './options';

const MOST_PER_SECOND = 1_000;
const DEFAULT_TIMEOUT = 30;
const MOST_TIMEOUT = 300;
const DEFAULT_GIVE_UP = 300;
const LEAST_GIVE_UP = 1;
const MOST_GIVE_UP = 24 * 60 * 60;
const DEFAULT_RETRIES = 5;
const MOST_RETRIES = 20;

const requestsPerSecondField: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MOST_PER_SECOND },
	default: 0,
	description:
		'Maximum number of requests per second, in all runs with this credential together. Each n8n process counts separately. Set to 0 for no limit.',
};

const giveUpAfterField: INodeProperties = {
	displayName: 'Give Up After (Seconds)',
	name: 'giveUpAfter',
	type: 'number',
	typeOptions: { minValue: LEAST_GIVE_UP, maxValue: MOST_GIVE_UP },
	default: DEFAULT_GIVE_UP,
	description:
		'How long to keep trying while no request gets a usable response. After that, the remaining items fail at once.',
};

export const requestOptionsField: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	// It sends no request.
	displayOptions: { hide: { operation: ['wait'] } },
	options: [
		// What most people look for.
		requestsPerSecondField,
		giveUpAfterField,
		{
			displayName: 'Concurrency',
			name: 'concurrency',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: WIDEST },
			default: 0,
			description:
				'How many requests of a run can be in flight at once. Set to 0 to adjust automatically.',
		},
		{
			displayName: 'Max Retries',
			name: 'maxRetries',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: MOST_RETRIES },
			default: DEFAULT_RETRIES,
			description:
				'How often to retry a request after a temporary failure. Retries never ring a phone twice. Set to 0 to send each request only once.',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MOST_TIMEOUT },
			default: DEFAULT_TIMEOUT,
			description: 'How long a request may take before it times out',
		},
	],
};

const requestOptions = z.object({
	concurrency: wholeNumber('Concurrency', WIDEST).optional().default(0),
	requestsPerSecond: decimalNumber('Requests per Second', MOST_PER_SECOND).optional().default(0),
	timeout: seconds('Timeout', MOST_TIMEOUT).optional().default(DEFAULT_TIMEOUT),
	giveUpAfter: decimalNumber('Give Up After', MOST_GIVE_UP, LEAST_GIVE_UP)
		.optional()
		.default(DEFAULT_GIVE_UP),
	maxRetries: wholeNumber('Max Retries', MOST_RETRIES).optional().default(DEFAULT_RETRIES),
});

export type RequestOptions = z.output<typeof requestOptions>;

/** From the first item, because they apply to the whole run. */
export function readRequestOptions(values: OptionValues): RequestOptions {
	const names = Object.keys(requestOptions.shape);
	return parseInput(requestOptions, values.read(requestOptionsField, 0, names));
}
