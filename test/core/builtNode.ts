import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { systemClock } from '../../nodes/CallVerification/transport/pipeline';
import { CallVerification, resources, runItems } from '../../harness/engine/builtPackage';

/** The built node, in a context with other parts than n8n's, and with another wall clock. */
export function builtNode(
	partsOf: (context: IExecuteFunctions) => object,
	wallTime = () => systemClock.wallTime(),
): INodeType {
	return {
		description: new CallVerification().description,
		async execute(this: IExecuteFunctions) {
			const parts = Object.getOwnPropertyDescriptors(partsOf(this));
			const context = Object.create(this, parts) as IExecuteFunctions;
			return [await runItems(context, resources, { ...systemClock, wallTime }, () => 0)];
		},
	};
}
