import type { Credential, Execution } from '../../harness';
import type { AmoCrm } from '../../harness/standIns/amocrm';
import type { InN8n } from './inN8n';

/** A run takes seconds, and minutes on a busy machine. */
export const LIMIT = 900_000;

/** The numbers that are paid for meanwhile, as they were sent. */
export async function paidIn({ emulator }: InN8n, work: () => Promise<unknown>): Promise<string[]> {
	const before = emulator.ledger.checks.length;
	await work();
	return emulator.ledger.checks.slice(before).map(({ source }) => source);
}

/** Starts a recipe as its user does. */
export async function startByHand({ client }: InN8n, id: string): Promise<string> {
	return await client.workflows.run(id, 'When clicking ‘Execute workflow’');
}

export async function runByHand(n8n: InN8n, id: string): Promise<Execution> {
	return await n8n.client.executions.wait(await startByHand(n8n, id), { limit: LIMIT });
}

/** What a user of amoCRM creates in n8n. */
export async function amoToken({ client }: InN8n, { token }: AmoCrm): Promise<Credential> {
	const header = { name: 'Authorization', value: `Bearer ${token}` };
	return await client.credentials.create('amoCRM', 'httpHeaderAuth', header);
}
