import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { resources } from './operations';
import { notForTools, type Operation, type Resource } from './run/operation';
import { requestOptionsField } from './run/requestOptions';

const operationsByName = resources.flatMap(({ value: resource, operations }) =>
	operations.map((operation) => ({ resource, operation, name: `${resource}.${operation.value}` })),
);

/** The whole panel: resource, operation, the operation's own fields, request options. */
export const nodeProperties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value }) => ({ name, value })),
		default: firstOf(resources),
	},
	...resources.map(operationField),
	...operationsByName.flatMap(({ resource, operation }) => fieldsOf(resource, operation)),
	requestOptionsField,
];

const actions = Object.fromEntries(
	operationsByName.map(({ name, operation }) => [name, operation.action]),
);

/** Under the node's name on the canvas: "Check phone number" rather than "check: phoneNumber". */
export const nodeSubtitle = `={{ (${JSON.stringify(actions)})[$parameter["resource"] + "." + $parameter["operation"]] }}`;

export const hintsBeforeRun = operationsByName.flatMap(({ name, operation }): NodeHint[] => {
	const { hintBeforeRun: hint } = operation;
	if (hint === undefined) return [];
	return [
		{
			message: hint.message,
			type: 'info',
			displayCondition: `={{ $parameter.resource + "." + $parameter.operation === "${name}" && ${hint.when} }}`,
			whenToDisplay: 'beforeExecution',
			location: 'outputPane',
		},
	];
});

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
		default: firstOf(operations),
	};
}

function fieldsOf(resource: string, { value: operation, fields }: Operation): INodeProperties[] {
	return fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: { resource: [resource], operation: [operation], ...field.displayOptions?.show },
		},
	}));
}

function firstOf(choices: ReadonlyArray<{ readonly value: string }>): string {
	return choices[0]?.value ?? '';
}
