import type { INodeProperties } from 'n8n-workflow';

import { CallVerificationApi } from '../../credentials/CallVerificationApi.credentials';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import { resources } from '../../nodes/CallVerification/operations';
import { requestOptionsField } from '../../nodes/CallVerification/run/options';

/** All lists of fields that the documentation must show, by the name in a page's marker. */
export const fieldSources: ReadonlyMap<string, readonly INodeProperties[]> = new Map([
	...resources.flatMap((resource) =>
		resource.operations
			.filter(({ fields }) => fields.length > 0)
			.map(({ value, fields }) => [`${resource.value}.${value}`, fields] as const),
	),
	['requestOptions', [requestOptionsField]],
	['trigger', new CallVerificationTrigger().description.properties],
	['credential', new CallVerificationApi().properties],
]);
