import { randomBytes } from 'node:crypto';

import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import type { EventResult, PostedEvent } from './inbound';
import { EVENT, postToTrigger, queryOf, WaitingExecution } from './inbound';
import { credential, SECRET_KEY } from '../../harness/engine/n8nCore';

/** The two endpoints that strangers can reach, each with the seal that it accepts. */

export interface AttackTarget {
	readonly url: string;
	post(event: PostedEvent): Promise<EventResult>;
	/** Posts after the credential's key was changed. */
	postAfterRotation(event: PostedEvent): Promise<EventResult>;
}

export const NOW = Math.floor(Date.now() / 1_000);

export const rotated = credential({ secretKey: 'the new key' });

let opened = 0;

/** A new trigger each time, so that no test sees the calls of another. */
export function openTrigger(): AttackTarget {
	const nodeId = `attacked-${++opened}`;
	return {
		url: 'https://n8n.test/webhook/hook-id/inbound-call',
		post: async (event) => await postToTrigger({ nodeId }, event),
		postAfterRotation: async (event) => await postToTrigger({ nodeId, credential: rotated }, event),
	};
}

/** Waits for the call that the tests' event reports. */
export const WAIT = {
	resource: 'inboundCall',
	operation: 'wait',
	uid: EVENT.callId,
	limitWaitTime: 10,
};

export async function openExecution(): Promise<AttackTarget> {
	const executionId = String(9_000 + ++opened);
	const execution = await WaitingExecution.start(WAIT, { name: 'Ann' }, { executionId });
	return {
		url: `https://n8n.test/webhook-waiting/${executionId}/inbound-call?signature=n8n-own-token`,
		post: async (event) => await execution.post(event),
		postAfterRotation: async (event) => await execution.withCredential(rotated).post(event),
	};
}

export const TARGETS: Array<[name: string, open: () => AttackTarget | Promise<AttackTarget>]> = [
	['the trigger', openTrigger],
	['a waiting execution', openExecution],
];

/** The query of a callback for this target, as “Inbound Call: Get Number to Call” makes it. */
export function sealFor(
	{ url }: Pick<AttackTarget, 'url'>,
	{
		phone = EVENT.clientNumber,
		expiresAt = NOW + 600,
		reference = 'contact-42',
		key = SECRET_KEY,
	} = {},
): Record<string, string> {
	const target = new URL(url).pathname.split('/').at(-2) ?? '';
	const nonce = sealNonce(randomBytes);
	const seal = { phone, expiresAt, reference, issuer: 'workflow-id', nonce, target };
	return queryOf(sealCallback(url, seal, key));
}
