import { z } from 'zod';

import { ERROR_CODES } from '../../nodes/CallVerification/contract/errorCodes';
import { methods, type ServiceMethod } from '../../nodes/CallVerification/contract/methods';
import { outputRows } from './outputRows';

const all = Object.values<ServiceMethod>(methods);

export const METHOD_HEADINGS = ['method', 'sent as', 'parameters', 'safe to repeat'];
export const RECORD_HEADINGS = ['method', 'field', 'type', 'meaning'];
export const CODE_HEADINGS = ['code', 'meaning', 'concerns', 'what to do'];

const REPEATABLE: Record<ServiceMethod['repeatable'], string> = {
	always: 'yes',
	withKey: 'with `unique`',
	never: 'never',
};

export function methodRows(): string[][] {
	return all.map(({ name, verb, request, repeatable }) => {
		const parameters = parametersOf(request).map(
			([parameter, isOptional]) => `\`${parameter}\`${isOptional ? ' (optional)' : ''}`,
		);
		return [`\`${name}\``, verb, parameters.join(', ') || 'none', REPEATABLE[repeatable]];
	});
}

export function recordRows(): string[][] {
	return all.flatMap(({ name, response }) =>
		outputRows(response.fields).map((cells, index) => [index === 0 ? `\`${name}\`` : '', ...cells]),
	);
}

export function codeRows(): string[][] {
	return ERROR_CODES.map(({ code, meaning, concerns, advice }) => [
		String(code),
		meaning,
		concerns,
		advice,
	]);
}

export function parametersOf(request: z.ZodTypeAny): Array<[name: string, isOptional: boolean]> {
	if (request instanceof z.ZodEffects) return parametersOf(request.innerType() as z.ZodTypeAny);
	const { shape } = request as z.ZodObject<z.ZodRawShape>;
	return Object.entries(shape).map(([name, parameter]) => [name, parameter.isOptional()]);
}
