import type { INodeProperties } from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isExpression, isGuard, labelOf } from './guards';
import { isRecord } from '../contract/fields';

/**
 * What an expression may read that no model can have written. Everything else may come from the model: `$fromAI` in any
 * spelling, but also `$json` and `$input`, because n8n adds the model's arguments to the input of a tool.
 */
const NOT_FROM_MODEL = new Set([
	'$',
	'$env',
	'$execution',
	'$if',
	'$ifEmpty',
	'$max',
	'$min',
	'$now',
	'$today',
	'$vars',
	'$workflow',
]);

/** @param raw The collection as stored in the workflow, including expressions. */
export function refuseModelsChoice(field: INodeProperties, raw: unknown): void {
	if (typeof raw === 'string' && isExpression(raw)) {
		throw new InputError(
			`“${field.displayName}” is one expression, with which a model could set limits`,
			'Add the options of the tool one by one.',
		);
	}
	for (const [name, value] of Object.entries(isRecord(raw) ? raw : {})) {
		if (!isGuard(name) && !isHiddenFromTools(field, name)) continue;
		if (!isExpression(value) || !mayReadModel(value)) continue;
		throw new InputError(
			`“${labelOf(field, name)}” limits the model, so the model cannot set it`,
			"Enter your own value for this option in the tool. An expression can read other nodes, such as $('Settings').first().json.limit, or $vars, but not the input, which contains what the model wrote.",
		);
	}
}

function mayReadModel(value: unknown): boolean {
	const names = JSON.stringify(value).match(/\$\w*/g) ?? [];
	return names.some((name) => !NOT_FROM_MODEL.has(name));
}

function isHiddenFromTools({ options = [] }: INodeProperties, name: string): boolean {
	const option = options.find((candidate) => candidate.name === name);
	return (
		option !== undefined &&
		'displayOptions' in option &&
		option.displayOptions?.hide?.['@tool'] !== undefined
	);
}
