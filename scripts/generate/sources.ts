import type { INodeProperties } from 'n8n-workflow';

import { CallVerificationApi } from '../../credentials/CallVerificationApi.credentials';
import { CallVerificationTrigger } from '../../nodes/CallVerification/CallVerificationTrigger.node';
import type { OutputFields } from '../../nodes/CallVerification/contract/fields';
import { eventFields } from '../../nodes/CallVerification/inbound/inboundEvent';
import { resources } from '../../nodes/CallVerification/operations';
import type { Operation, Resource } from '../../nodes/CallVerification/run/operation';
import { requestOptionsField } from '../../nodes/CallVerification/run/options';

export interface NamedOperation {
	/** resource.operation */
	readonly name: string;
	readonly resource: Resource;
	readonly operation: Operation;
}

export const operations: readonly NamedOperation[] = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		resource,
		operation,
	})),
);

/** The output of each operation and of the trigger, by the name in a page's marker. */
export const outputSources: ReadonlyMap<string, OutputFields> = new Map<string, OutputFields>([
	...operations.map(({ name, operation }) => [name, operation.output] as const),
	['trigger', eventFields],
]);

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
