import type { OutputFields } from '../../nodes/CallVerification/contract/fields';
import { eventFields } from '../../nodes/CallVerification/inbound/inboundEvent';
import { resources } from '../../nodes/CallVerification/operations';
import type { Operation, Resource } from '../../nodes/CallVerification/run/operation';

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
