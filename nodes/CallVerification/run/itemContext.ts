import { randomBytes } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../inbound/callbackSeal';
import { rememberAwaited, rememberRequest, requestedBy } from '../inbound/awaitedCall';
import { isPrivateHost } from '../inbound/callbackUrl';
import { throwIfStopped } from '../pacing/time';
import { idempotencyKey, passOf } from '../codes/callGuards';
import { ItemFiles } from './itemFiles';
import type { ItemContext } from './operation';
import type { RunContext } from './runContext';

/** n8n, as one item's operation sees it. */
export function createItemContext(
	run: RunContext,
	itemIndex: number,
	stop: AbortSignal,
): ItemContext {
	const { clock, report, phoneChecks, width, keptResults } = run;
	const { context, items, isTool } = run.input;
	return {
		itemIndex,
		itemCount: items.length,
		isTool,
		timeZone: context.getTimezone(),
		clock,
		report,
		phoneChecks,
		files: new ItemFiles(context, itemIndex),
		width,
		stop,
		inTurn: async (work) =>
			await run.mutex.run('', async () => {
				throwIfStopped(stop);
				return await work();
			}),
		async send(method, parameters, options) {
			const { pipeline } = await run.connected();
			return await pipeline(method, parameters, { ...run.sendOptions, ...options, stop });
		},
		async once(values, validity, request) {
			const { callGuards } = await run.connected();
			// As a fingerprint, because n8n stores it, and a callback URL is a secret.
			const key = callGuards.digest('once', itemIndex, ...values);
			const known = keptResults.find(key, clock.wallTime());
			if (known !== undefined) return known;
			const record = await request();
			keptResults.add(key, record, validity);
			return record;
		},
		idempotencyKey: (phone, delivery) =>
			idempotencyKey([...keyOfRun(context, isTool), itemIndex, phone, delivery]),
		callbackSurroundings: () => run.callbackSurroundings,
		async sealCallback(url, seal) {
			const { access } = await run.connected();
			const issuer = String(context.getWorkflow().id ?? '');
			const nonce = sealNonce(randomBytes);
			return sealCallback(url, { ...seal, issuer, nonce }, access.secretKey);
		},
		callGuards: async () => (await run.connected()).callGuards,
		isServicePrivate: async () => isPrivateHost((await run.connected()).access.baseUrl),
		rememberRequest: (call) => rememberRequest(context, call),
		requestedCall: (callId) => requestedBy(context, callId),
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
		hasGivenUp: () => run.giveUp.reason !== undefined,
		hint: (message) => run.hint(message, 'warning'),
		warn: (message) => context.logger.warn(message),
	};
}

/** Instance and workflow are part of the key, because two n8n instances may have the same imported workflow. */
function keyOfRun(context: IExecuteFunctions, isTool: boolean) {
	// Retrying a failed execution creates one with a new ID and the stored data of the old one, including this memory.
	const memory = context.getContext('node');
	memory.firstExecutionId ??= context.getExecutionId();
	return [
		context.getInstanceId(),
		context.getWorkflow().id,
		String(memory.firstExecutionId),
		context.getNode().id,
		passOf(context, isTool),
	];
}
