import { waitUntil } from '../../harness';
import { LIMIT } from './crmRuns';
import type { InOwnN8n } from './inN8n';

/** Kills n8n at the moment that `isReached` tells, and restarts it. */
export async function killWhen(
	n8n: InOwnN8n,
	isReached: () => boolean,
	moment: string,
): Promise<void> {
	await waitUntil(async () => isReached() || undefined, {
		what: moment,
		limit: LIMIT,
		longestPause: 20,
	});
	await n8n.running.kill();
	await waitUntil(async () => n8n.emulator.ledger.inFlight === 0 || undefined, {
		what: 'the service is idle',
	});
	await n8n.boot();
}
