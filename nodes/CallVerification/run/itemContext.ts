import { randomBytes } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../inbound/callbackSeal';
import { idempotencyKey } from '../codes/idempotencyKey';
import { isPrivateHost } from '../inbound/privateHost';
import { rememberAwaited, rememberRequest, requestedBy } from '../inbound/requestedCall';
import { sendThrough } from '../transport/pipeline';
import { throwIfStopped } from '../pacing/stop';
import { passOf } from '../codes/callGuards';
import { ItemFiles } from './itemFiles';
import type { RunContext } from './runContext';
import type { ItemContext } from './operation';

/** n8n, as one item's operation sees it. */
export function createItemContext(
	run: RunContext,
	itemIndex: number,
	stop: AbortSignal,
): ItemContext {
	const { context, report } = run;
	return {
		itemIndex,
		itemCount: run.itemCount,
		isTool: run.isTool,
		clock: run.clock,
		report,
		phoneChecks: run.phoneChecks,
		files: new ItemFiles(context, itemIndex),
		width: run.width,
		stop,
		inTurn: async (work) =>
			await run.mutex.run('', async () => {
				throwIfStopped(stop);
				return await work();
			}),
		async send(method, parameters, options) {
			const { pipeline } = await run.connected();
			const sendOptions = { ...run.sendOptions, ...options, stop };
			return await sendThrough(pipeline, method, parameters, sendOptions);
		},
		async once(values, validity, request) {
			const { callGuards } = await run.connected();
			// As a fingerprint, because n8n stores it, and a callback URL is a secret.
			const key = callGuards.digest('once', itemIndex, ...values);
			const known = run.earlierTries.find(key, run.clock.wallTime());
			if (known !== undefined) return known;
			const record = await request();
			run.earlierTries.add(key, record, validity);
			return record;
		},
		idempotencyKey: (phone, delivery) =>
			idempotencyKey([...keyOfRun(context, run.isTool), itemIndex, phone, delivery]),
		callbackSurroundings: () => run.callbackSurroundings,
		async sealCallback(url, seal) {
			const { access } = await run.connected();
			const issuer = String(context.getWorkflow().id ?? '');
			const nonce = sealNonce(randomBytes);
			return sealCallback(url, { ...seal, issuer, nonce }, access.secretKey);
		},
		rememberRequest: (call) => rememberRequest(context, call),
		requestedCall: (callId) => requestedBy(context, callId),
		callGuards: async () => (await run.connected()).callGuards,
		async isServicePrivate() {
			const { access } = await run.connected();
			return isPrivateHost(access.baseUrl);
		},
		async suspend(until, call, output) {
			rememberAwaited(context, call);
			const item = context.getInputData()[itemIndex];
			const json = { ...item?.json, ...output };
			// On a timeout, n8n outputs the node's input. A new object, because the old one is also the stored output
			// of the previous node.
			if (item !== undefined) item.json = json as typeof item.json;
			await context.putExecutionToWait(until);
			return json;
		},
		isStopped: () => stop.aborted,
		hasGivenUp: () => run.giveUp.reason !== undefined,
		hint: (message) => run.hint(message, 'warning'),
		warn: (message) => context.logger.warn(message),
	};
}

/**
 * Instance and workflow are part of the key, because two n8n instances may have the same imported workflow.
 */
function keyOfRun(context: IExecuteFunctions, isTool: boolean) {
	return [
		context.getInstanceId(),
		context.getWorkflow().id,
		firstExecutionId(context),
		context.getNode().id,
		passOf(context, isTool),
	];
}

/**
 * Retrying a failed execution creates a new execution with a new ID, which continues with the stored data of the old
 * one. That includes the node's context, so it can hold the first ID.
 */
function firstExecutionId(context: IExecuteFunctions): string {
	const memory = context.getContext('node');
	memory.firstExecutionId ??= context.getExecutionId();
	return String(memory.firstExecutionId);
}
