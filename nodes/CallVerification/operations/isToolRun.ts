import type { IExecuteFunctions } from 'n8n-workflow';

/** n8n 1.x cannot say whether a tool is run, but there and in 2.x a tool's type ends like this. */
export function isToolRun(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
}
