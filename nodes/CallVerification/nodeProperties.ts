import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { resources } from './operations';
import { notForTools, type Operation, type Resource } from './run/operation';
import { requestOptionsField } from './run/requestOptions';

/** The whole panel: resource, operation, the operation's own fields, request options. */
export const nodeProperties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: resources[0]?.value ?? '',
	},
	...resources.map(operationField),
	...resources.flatMap((resource) =>
		resource.operations.flatMap((operation) => fieldsOf(resource, operation)),
	),
	requestOptionsField,
];

/** Under the node's name on the canvas: "Check phone number" rather than "check: phoneNumber". */
export const nodeSubtitle = `={{ (${JSON.stringify(
	Object.fromEntries(
		resources.flatMap(({ value: resource, operations }) =>
			operations.map(({ value, action }) => [`${resource}.${value}`, action]),
		),
	),
)})[$parameter["resource"] + "." + $parameter["operation"]] }}`;

export const hintsBeforeRun: NodeHint[] = resources.flatMap(({ value: resource, operations }) =>
	operations.flatMap(({ value, hintBeforeRun: hint }) =>
		hint === undefined ? [] : [nodeHint(`${resource}.${value}`, hint)],
	),
);

function nodeHint(operation: string, hint: NonNullable<Operation['hintBeforeRun']>): NodeHint {
	return {
		message: hint.message,
		type: 'info',
		displayCondition: `={{ $parameter.resource + "." + $parameter.operation === "${operation}" && ${hint.when} }}`,
		whenToDisplay: 'beforeExecution',
		location: 'outputPane',
	};
}

function operationField({ value: resource, operations }: Resource): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations.map(({ name, value, action, description, builderHint, isForTools }) => ({
			name,
			value,
			action,
			description,
			...(builderHint !== undefined && { builderHint: { propertyHint: builderHint } }),
			...(isForTools === false && { displayOptions: notForTools }),
		})),
		default: operations[0]?.value ?? '',
	};
}

function fieldsOf(resource: Resource, operation: Operation): INodeProperties[] {
	return operation.fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: {
				resource: [resource.value],
				operation: [operation.value],
				...field.displayOptions?.show,
			},
		},
	}));
}
