import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { EVENT, postToTrigger, sealed } from './inbound';
import { credential, SECRET_KEY, SERVICE_ID } from '../../harness/engine/n8nCore';
import { checkPhone } from './parameters';
import { numbers } from './simulatedRun';
import { runOn } from './wire';

/** Counts n8n's reads of the credential from its database. */
function countedCredential(): { data: ICredentialDataDecryptedObject; reads: () => number } {
	let reads = 0;
	const data = Object.defineProperty(credential(), 'secretKey', {
		enumerable: true,
		get: () => {
			reads += 1;
			return SECRET_KEY;
		},
	});
	return { data, reads: () => reads };
}

describe('the credential, which n8n reads from its database and decrypts', () => {
	it('is read once per run, and its key goes out with every request', async () => {
		const { data, reads } = countedCredential();
		const run = { items: numbers(3), credential: data };
		const { sent } = await runOn({ body: { source: '7', phone: 7, cost: 0 } }, checkPhone(), run);
		expect(sent.map(({ headers }) => headers.authorization)).toEqual(
			Array(3).fill(`Bearer ${SECRET_KEY}.${SERVICE_ID}`),
		);
		expect(reads()).toBe(1);
	});

	it.each(['signature', 'none'])(
		'is read at most once per event (Accept Events: %s)',
		async (eventAuthentication) => {
			const { data, reads } = countedCredential();
			const body = { ...EVENT, callId: eventAuthentication === 'none' ? '7000001' : '7000002' };
			const trigger = { parameters: { eventAuthentication }, credential: data };
			const { items } = await postToTrigger(trigger, { body, query: sealed() });
			expect(items).toHaveLength(1);
			expect(reads()).toBe(eventAuthentication === 'none' ? 0 : 1);
		},
	);

	it('is read again for the next event, so that a replaced key stops working at once', async () => {
		const { data, reads } = countedCredential();
		for (const callId of ['7000003', '7000004']) {
			await postToTrigger({ credential: data }, { body: { ...EVENT, callId }, query: {} });
		}
		expect(reads()).toBe(2);
	});
});
