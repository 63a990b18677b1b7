import { randomBytes } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../api/callbackSeal';
import { idempotencyKey } from '../api/idempotencyKey';
import { isPrivateHost } from '../api/privateHost';
import type { NodeRun } from './nodeRun';
import type { ItemRun } from './operation';

/** n8n, as one item's operation sees it. */
export function createItemRun(run: NodeRun, itemIndex: number, stop: AbortSignal): ItemRun {
	const { context, report } = run;
	return {
		itemIndex,
		itemCount: report.total,
		isTool: run.isTool,
		clock: run.clock,
		report,
		phoneChecks: run.phoneChecks,
		async send(method, parameters, deadline) {
			const { client } = await run.connected();
			return await client.send(method, parameters, { ...run.sendOptions, deadline, stop });
		},
		idempotencyKey: (phone, delivery) =>
			idempotencyKey([...keyOfRun(context, run.isTool), itemIndex, phone, delivery]),
		callbackSurroundings: () => run.callbackSurroundings,
		async sealCallback(url, seal) {
			const { access } = await run.connected();
			return sealCallback(url, { ...seal, nonce: sealNonce(randomBytes) }, access.secretKey);
		},
		callAccount: async () => (await run.connected()).callAccount,
		async isServicePrivate() {
			const { access } = await run.connected();
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
		isStopped: () => stop.aborted,
		hint: (message) => run.hint(message, 'warning'),
		warn: (message) => context.logger.warn(message),
	};
}

/**
 * Instance and workflow are part of the key, because two n8n instances may hold the same imported
 * workflow. A tool leaves the run index out: n8n raises it on every try of the same tool call.
 */
function keyOfRun(context: IExecuteFunctions, isTool: boolean) {
	return [
		context.getInstanceId(),
		context.getWorkflow().id,
		firstExecutionId(context),
		context.getNode().id,
		isTool ? 'tool' : Number(context.evaluateExpression('{{ $runIndex }}', 0)),
	];
}

/**
 * n8n's “Retry” of a failed execution is a new execution, with an id of its own, that goes on with what was stored of
 * the old one. The node's context is stored too, so it tells which execution was the first.
 */
function firstExecutionId(context: IExecuteFunctions): string {
	const memory = context.getContext('node');
	memory.firstExecutionId ??= context.getExecutionId();
	return String(memory.firstExecutionId);
}
