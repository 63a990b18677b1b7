import { randomBytes } from 'node:crypto';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { sealCallback, sealNonce } from '../../nodes/CallVerification/inbound/callbackSeal';
import { EVENT, postToTrigger, queryOf } from './inbound';
import { credential, runNode, SECRET_KEY, SERVICE_ID } from '../../harness/engine/n8nCore';
import { wire } from './wire';

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

const AUTHORIZATION = `Bearer ${SECRET_KEY}.${SERVICE_ID}`;

describe('the credential, which n8n reads from its database and decrypts', () => {
	it('is read once per run, and its key goes out with every request', async () => {
		const { data, reads } = countedCredential();
		const sent = wire(...[1, 2, 3].map(() => ({ body: { source: '7', phone: 7, cost: 0 } })));
		const { success } = await runNode({
			parameters: { resource: 'phoneNumber', operation: 'check', phone: '={{ $json.phone }}' },
			items: ['+79000000001', '+79000000002', '+79000000003'].map((phone) => ({ phone })),
			credential: data,
		});
		expect(success).toHaveLength(3);
		expect(sent.map(({ headers }) => headers.authorization)).toEqual(
			[1, 2, 3].map(() => AUTHORIZATION),
		);
		expect(reads()).toBe(1);
	});

	it.each(['signature', 'none'])(
		'is read at most once per event (Accept Events: %s)',
		async (eventAuthentication) => {
			const { data, reads } = countedCredential();
			const body = { ...EVENT, callId: eventAuthentication === 'none' ? '7000001' : '7000002' };
			const expiresAt = Math.floor(Date.now() / 1_000) + 60;
			const nonce = sealNonce(randomBytes);
			const seal = { phone: EVENT.clientNumber, expiresAt, reference: '', issuer: '', nonce };
			const { items } = await postToTrigger(
				{
					parameters: { eventAuthentication },
					credential: data,
				},
				{ body, query: queryOf(sealCallback('https://n8n.test/x', seal, SECRET_KEY)) },
			);
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
