import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { sealCallback } from '../api/callbackSeal';
import { idempotencyKey } from '../api/idempotencyKey';
import { isPrivateHost } from '../api/privateHost';
import type { Connection } from './connect';
import { registeredPaths } from './inboundCall/triggerRegistry';
import type { ItemRun } from './operation';

/** n8n, as one item's operation sees it. */
export function createItemRun(
	context: IExecuteFunctions,
	connected: () => Promise<Connection>,
	{ itemIndex, timeout }: { itemIndex: number; timeout: number },
): ItemRun {
	const isTool = isToolRun(context);
	return {
		itemCount: context.getInputData().length,
		isTool,
		clock: { now: Date.now, sleep },
		async send(method, parameters) {
			const { client } = await connected();
			return await client.send(method, parameters, { timeout });
		},
		idempotencyKey: (phone, delivery) =>
			idempotencyKey([...keyOfRun(context, isTool), itemIndex, phone, delivery]),
		callbackSurroundings: () => ({
			resumeUrl: String(context.evaluateExpression('{{ $execution.resumeUrl }}', itemIndex)),
			triggerPaths: registeredPaths(context.getWorkflowStaticData('global')),
			isManual: context.getMode() === 'manual',
		}),
		async sealCallback(url, seal) {
			const { access } = await connected();
			return sealCallback(url, seal, access.secretKey);
		},
		async isServicePrivate() {
			const { access } = await connected();
			return access.baseUrls.some(isPrivateHost);
		},
		async suspend(until, output) {
			const item = context.getInputData()[itemIndex];
			const json = { ...item?.json, ...output };
			// When the time is over, n8n puts out the node's input. A new object, because the old one is
			// also the stored output of the node before.
			if (item !== undefined) item.json = json as typeof item.json;
			await context.putExecutionToWait(until);
			return json;
		},
		isStopped: () => context.getExecutionCancelSignal()?.aborted ?? false,
		hint: (message) =>
			context.addExecutionHints({ message, type: 'warning', location: 'outputPane' }),
		warn: (message) => context.logger.warn(message),
	};
}

/** n8n 1.x cannot say whether a tool is run, but there and in 2.x a tool's type ends like this. */
function isToolRun(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
}

/**
 * Instance and workflow are part of the key, because two n8n instances may hold the same imported
 * workflow. A tool leaves the run index out: n8n raises it on every try of the same tool call.
 */
function keyOfRun(context: IExecuteFunctions, isTool: boolean) {
	return [
		context.getInstanceId(),
		context.getWorkflow().id,
		context.getExecutionId(),
		context.getNode().id,
		isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0)),
	];
}
