import { operations } from './outputSources';

/** The page that describes an operation. */
export type PageOf = (name: string) => string | undefined;

export const OPERATION_HEADINGS = ['resource', 'operation', 'what it does', 'costs money'];

/** The table of the README, without what is only there for old workflows. */
export function operationRows(pageOf: PageOf): string[][] {
	const current = operations.filter(({ operation }) => !operation.name.endsWith('(Deprecated)'));
	return current.map(({ name, resource, operation }) => [
		resource.operations[0] === operation ? `[${resource.name}](${pageOf(name) ?? ''})` : '',
		operation.name,
		operation.description,
		operation.costs,
	]);
}
