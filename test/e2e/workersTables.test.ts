import { sameNumberKey } from '../../nodes/CallVerification/phones/phone';
import type { EmulatorSettings } from '../../emulator/settings';
import type { Postgres } from '../../harness';
import { CREDENTIAL_TYPE } from '../../harness/workflows/emulatedService';
import { withChosenCredentials } from '../../harness/workflows/publishedExample';
import {
	makeWorkersTables,
	statementOf,
	workersExample,
} from '../../harness/workflows/workersExample';
import { describeInN8n } from './inN8n';
import { testIfPostgres, withPostgres } from './withPostgres';

const REFUSAL = 'The account is closed';
/** One of them is not a number but an injection attempt. */
const PHONES = [
	'79220000001',
	'+7 922 000-00-02',
	"'); DROP TABLE phone_list; -- $1 {{ $json }} +7 922 000-00-03",
];
const NUMBERS = PHONES.length;

/** A test with the tables of check-large-list-workers. */
const testTables = (title: string, work: (postgres: Postgres) => Promise<void>) =>
	testIfPostgres(title, async () => {
		await withPostgres(async (postgres) => {
			await makeWorkersTables(postgres);
			await work(postgres);
		});
	});

testTables(
	'the tables of check-large-list-workers treat the same numbers as equal as the node does',
	async ({ query }) => {
		const written = [
			'+7 (900) 000-00-01',
			'79000000001',
			' 7.900.000.00.01',
			'79000000001.0',
			'+79000000001,00',
			'7 900 000–00−01',
			'\u200E+7\u00A0900\u202F000\u20110001\uFEFF',
			'89000000001',
			'+89000000001',
			'8 900 000 00 01',
			'+0123456',
			'0123456',
			'7 900.00',
			'790000',
			'7 900',
			'no phone yet',
			'No phone yet',
			'7.9E+10',
		];
		// Read as one number by the node, but numbers of their own in the tables: each is paid for.
		const apart = ['79000000001 ext. 2', 'tel:+79000000001', '0079000000001'];
		const values = [...written, ...apart].map((text, place) => `(${place}, '${text}')`).join();
		const rows = await query(
			`SELECT phone_number(text) FROM (VALUES ${values}) AS written (place, text) ORDER BY place`,
		);
		const keys = rows.flat();
		expect(keys.slice(0, written.length)).toEqual(written.map(sameNumberKey));
		expect(keys.slice(written.length)).not.toContain('79000000001');
	},
);

testTables(
	'a chunk that outlived its claim adds results and overwrites none',
	async ({ query }) => {
		const statement = await statementOf('Write Results');
		const write = async (chunk: number, results: object[]) =>
			await query(
				`PREPARE write (bigint, json, json, float8) AS ${statement};
				EXECUTE write (${chunk}, '[{"number": "1"}, {"number": "2"}]', '${JSON.stringify(results)}', 10)`,
			);
		const found = async () =>
			await query('SELECT valid, operator, error, failures FROM phone_checks ORDER BY number');
		await query("INSERT INTO phone_list (phone) VALUES ('1'), ('2')");
		// Both numbers belonged to the slow chunk and now belong to the other one.
		await query(
			"INSERT INTO phone_chunks (execution_id, numbers, claimed_until) VALUES ('slow', 2, now()), ('other', 2, now())",
		);
		await query('UPDATE phone_checks SET chunk_id = 2');

		const paid = { valid: true, operator: 'North Line', cost: 0.05 };
		const slow = await write(1, [paid, { error: 'late' }]);
		expect(slow).toEqual([['1', '2', '1', '1', '0.05']]);
		expect(await found()).toEqual([
			['t', 'North Line', '', '0'],
			['', '', '', '0'],
		]);

		const other = await write(2, [{ error: 'no answer' }, { error: 'no answer' }]);
		expect(other).toEqual([['2', '2', '0', '2', '0']]);
		expect(await found()).toEqual([
			['t', 'North Line', '', '0'],
			['', '', 'no answer', '1'],
		]);
	},
);

testTables(
	'columns of the list that are named like results stay, beside the results',
	async (postgres) => {
		const { query } = postgres;
		const own = ['number', 'valid', 'country', 'checked_country', 'reason', 'error', 'checked_at'];
		await query(`ALTER TABLE phone_list ${own.map((name) => `ADD ${name} text`).join()}`);
		await makeWorkersTables(postgres);
		await query("INSERT INTO phone_list (phone, valid, country) VALUES ('1', 'yes', 'Here')");
		await query("UPDATE phone_checks SET valid = true, operator = 'North Line', country = 'There'");

		const found = await query(
			'SELECT valid, checked_valid, operator, country, checked_checked_country FROM phone_list_checked',
		);
		expect(found).toEqual([['yes', 't', 'North Line', 'Here', 'There']]);
	},
);

testTables(
	'a text of the service never becomes a formula, and the list stays',
	async ({ query }) => {
		await query("INSERT INTO phone_list (name, phone) VALUES ('=own()', '+1'), ('-own', '2')");
		await query(
			"UPDATE phone_checks SET operator = '=1+1', country = '+7', region = '-1', reason = '@SUM(A1)'",
		);
		await query("UPDATE phone_checks SET operator = 'A=B', error = '=2' WHERE number = '2'");

		const found = await query(
			'SELECT name, phone, operator, country, region, reason FROM phone_list_checked',
		);
		expect(found).toEqual([
			['=own()', '+1', "'=1+1", "'+7", "'-1", "'@SUM(A1)"],
			['-own', '2', 'A=B', "'+7", "'-1", "'=2"],
		]);
	},
);

testTables('the cost limit is that of a calendar month', async ({ query }) => {
	const [, take = ''] = (await statementOf('Take Chunk')).split(/(?<=MODE);\s*/);
	const taken = async () => {
		await query('UPDATE phone_checks SET free_from = now()');
		const [found = []] = await query(
			`PREPARE take (int, numeric, int, int, float8, float8, text) AS ${take};
				EXECUTE take (250, 10, 90, 3, 10, 15, 'x')`,
		);
		return JSON.parse(found.at(-1) ?? '') as unknown[];
	};
	await query("INSERT INTO phone_list (phone) VALUES ('1'), ('2')");
	await query(`INSERT INTO phone_chunks (execution_id, numbers, taken_at, claimed_until, written_at, done, cost, dearest)
			VALUES ('before', 200, date_trunc('month', now()) - interval '1 hour', now(), now() - interval '1 hour', 200, 10, 0.05)`);
	expect(await taken()).toHaveLength(2);

	await query("UPDATE phone_chunks SET taken_at = now() WHERE execution_id = 'before'");
	expect(await taken()).toEqual([]);
});

const refusing: Partial<EmulatorSettings> = {
	faults: [{ kind: 'errorCode', code: 403, message: REFUSAL, method: 'checkPhone' }],
};

describeInN8n('check-large-list-workers', refusing, (n8n) => {
	testTables(
		'retries failed numbers, but not at once and not forever',
		async ({ query, login }) => {
			const { client, credential, emulator } = n8n;
			const postgres = await client.credentials.create('Failing list', 'postgres', login);
			const chosen = { [CREDENTIAL_TYPE]: credential, postgres };
			const file = withChosenCredentials(await workersExample(), chosen);
			const { id } = await client.workflows.create(file);
			/** Runs it as its schedule would, and returns how many requests the service has received so far. */
			const requestsAfterRun = async () => {
				const executionId = await client.workflows.run(id, 'Every Minute');
				expect((await client.executions.wait(executionId)).error).toBeUndefined();
				return emulator.ledger.requests.length;
			};
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
			await client.credentials.delete(postgres);
		},
	);
});
