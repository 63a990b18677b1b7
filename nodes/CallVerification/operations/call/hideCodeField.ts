import type { INodeProperties } from 'n8n-workflow';

import { notForTools } from '../notForTools';
import type { OutputRecord } from '../operation';
import { omit } from '../outputShape';
import { toggle } from '../parameterValue';

export const hideCodeField: INodeProperties = {
	displayName: 'Hide Code',
	name: 'hideCode',
	type: 'boolean',
	default: false,
	// A tool never shows it.
	displayOptions: notForTools,
	description:
		'Whether to leave the code out of the output, so that a webhook that answers with it cannot give the code away',
};

export const hideCode = toggle.optional().default(false);

export function withoutCode(output: OutputRecord, isHidden: boolean): OutputRecord {
	return isHidden ? omit(output, ['code']) : output;
}
