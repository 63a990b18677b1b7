import { makeWorkersTables, workersExample } from '../../harness/workflows/workersExample';
import { withCredentials } from '../../harness/workflows/withCredentials';
import { connect, type N8nClient } from '../../harness';
import { instances } from './instances';
import { CREDENTIAL_TYPE, startEmulatedService } from '../../harness/workflows/emulatedService';
import { testIfPostgres, withPostgres } from './withPostgres';

const REFUSAL = 'The account is closed';
/** One of them is not a number but an injection attempt. */
const PHONES = ['79220000001', '+7 922 000-00-02', "'); DROP TABLE phone_list; -- $1 {{ $json }}"];
const NUMBERS = PHONES.length;

describe.each(instances)('check-large-list-workers in n8n $version', ({ line, url }) => {
	let client: N8nClient;

	beforeAll(async () => {
		client = await connect({ line, url });
	});

	testIfPostgres('retries failed numbers, but not at once and not forever', async () => {
		await withPostgres(async (postgres) => {
			const { query } = postgres;
			const { emulator, credential } = await startEmulatedService(client, {
				faults: [{ kind: 'errorCode', code: 403, message: REFUSAL, method: 'checkPhone' }],
			});
			const database = await client.credentials.create('Failing list', 'postgres', postgres.login);
			try {
				const file = await workersExample();
				const chosen = { [CREDENTIAL_TYPE]: credential, postgres: database };
				const nodes = file.nodes.map((node) => withCredentials(node, chosen));
				const { id } = await client.workflows.create({ ...file, nodes });
				/** Runs it as its schedule would, and returns how many requests the service has received so far. */
				const requestsAfterRun = async () => {
					const executionId = await client.workflows.run(id, 'Every Minute');
					expect((await client.executions.wait(executionId)).error).toBeUndefined();
					return emulator.ledger.requests.length;
				};
				await makeWorkersTables(postgres);
				const values = PHONES.map((phone) => `('${phone.replaceAll("'", "''")}')`);
				await query(`INSERT INTO phone_list (phone) VALUES ${values.join()}`);

				expect(await requestsAfterRun()).toBe(NUMBERS);
				expect(await query('SELECT DISTINCT valid, reason FROM phone_list_checked')).toEqual([
					['', expect.stringContaining(REFUSAL)],
				]);
				// The numbers pause, and so does the whole list, because a whole chunk failed.
				await query('UPDATE phone_checks SET free_from = now()');
				expect(await requestsAfterRun()).toBe(NUMBERS);
				await query("UPDATE phone_chunks SET written_at = written_at - interval '10 minutes'");
				await query("UPDATE phone_checks SET free_from = now() + interval '1 minute'");
				expect(await requestsAfterRun()).toBe(NUMBERS);
				for (const tries of [2, 3, 3]) {
					await query("UPDATE phone_chunks SET written_at = written_at - interval '10 minutes'");
					await query('UPDATE phone_checks SET free_from = now()');
					expect(await requestsAfterRun()).toBe(NUMBERS * tries);
				}
			} finally {
				await client.credentials.delete(database);
				await emulator.close();
			}
		});
	});
});
