import type { INode, INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { z } from 'zod';

const PACKAGE = 'n8n-nodes-call-verification';

const workflow = z.object({
	nodes: z.array(
		z.object({
			name: z.string(),
			type: z.string(),
			typeVersion: z.number(),
			position: z.tuple([z.number(), z.number()]),
			parameters: z.record(z.unknown()),
		}),
	),
	connections: z.record(
		z.object({ main: z.array(z.array(z.object({ node: z.string(), index: z.number() }))) }),
	),
});

/** What n8n's editor would mark red, or silently drop, when the workflow is pasted. */
export function problemsOf(
	pasted: unknown,
	descriptions: readonly INodeTypeDescription[],
): string[] {
	const { nodes, connections } = workflow.parse(pasted);
	const names = nodes.map(({ name }) => name);
	const loose = Object.entries(connections)
		.flatMap(([from, { main }]) => [from, ...main.flat().map(({ node }) => node)])
		.filter((name) => !names.includes(name))
		.map((name) => `a connection names “${name}”, which is not there`);
	const ours = nodes
		.filter(({ type }) => type.startsWith(`${PACKAGE}.`))
		.flatMap((node) => {
			const description = descriptions.find(({ name }) => node.type === `${PACKAGE}.${name}`);
			if (description === undefined) return [`${node.type} is not in this package`];
			return nodeProblems(
				{ ...node, id: node.name, parameters: node.parameters as INodeParameters },
				description,
			);
		});
	return [...loose, ...ours];
}

function nodeProblems(node: INode, description: INodeTypeDescription): string[] {
	const { properties } = description;
	const complete = NodeHelpers.getNodeParameters(
		properties,
		node.parameters,
		true,
		false,
		node,
		description,
	);
	const issues = NodeHelpers.getNodeParametersIssues(
		properties,
		{ ...node, parameters: complete ?? {} },
		description,
	);
	const kept = Object.keys(complete ?? {});
	return [
		...(node.typeVersion === description.version ? [] : ['its version is not this package’s']),
		...Object.values(issues?.parameters ?? {}).flat(),
		...Object.keys(node.parameters)
			.filter((name) => !kept.includes(name))
			.map((name) => `“${name}” is no field of this operation`),
		...unknownOptions(node.parameters, properties),
		...wrongChoices({ ...node, parameters: complete ?? {} }, description),
	].map((problem) => `${node.name}: ${problem}`);
}

/** n8n keeps unknown fields inside a collection, and ignores them. */
function unknownOptions(
	parameters: INodeParameters,
	properties: readonly INodeProperties[],
): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const collections = properties.filter(
			(field) => field.name === name && field.type === 'collection',
		);
		if (collections.length === 0 || typeof value !== 'object' || value === null) return [];
		const known = collections.flatMap(({ options = [] }) => options.map((option) => option.name));
		return Object.keys(value)
			.filter((option) => !known.includes(option))
			.map((option) => `“${name}.${option}” is no field`);
	});
}

function wrongChoices(node: INode, description: INodeTypeDescription): string[] {
	return description.properties
		.filter(({ type }) => type === 'options')
		.filter((field) => NodeHelpers.displayParameter(node.parameters, field, node, description))
		.filter(({ name, options = [] }) =>
			options.every((option) => !('value' in option) || option.value !== node.parameters[name]),
		)
		.map(
			({ name, displayName }) => `${JSON.stringify(node.parameters[name])} is no ${displayName}`,
		);
}
