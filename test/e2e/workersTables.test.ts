import { sameNumberKey } from '../../nodes/CallVerification/phones/phone';
import type { EmulatorSettings } from '../../emulator/settings';
import type { Postgres } from '../../harness';
import { CREDENTIAL_TYPE } from '../../harness/emulatedService';
import {
	withChosenCredentials,
	withCountryCode,
	withSettings,
} from '../../harness/workflows/examples';
import { makeWorkersTables, statementOf, workersExample } from '../../harness/workflows/largeLists';
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
		const write = await writerOf(query);
		const found = async () =>
			await query('SELECT valid, operator, error, failures FROM phone_checks ORDER BY number');
		await query("INSERT INTO phone_list (phone) VALUES ('1'), ('2')");
		// Both numbers belonged to the slow chunk and now belong to the other one.
		await query(
			"INSERT INTO phone_chunks (execution_id, numbers, claimed_until) VALUES ('slow', 2, now()), ('other', 2, now())",
		);
		await query('UPDATE phone_checks SET chunk_id = 2, failures = 1');

		const paid = { valid: true, operator: 'North Line', cost: 0.05 };
		const slow = await write(1, [paid, { error: 'late' }]);
		expect(slow).toEqual([['1', '2', '1', '1', '0.05']]);
		expect(await found()).toEqual([
			['t', 'North Line', '', '0'],
			['', '', '', '1'],
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

testTables(
	'a result that the database refuses fails alone, with the reason, and what it may have cost counts',
	async ({ query }) => {
		const write = await writerOf(query);
		const answers = [
			{ valid: true, operator: 'North Line', cost: 0.05 },
			{ valid: true, operator: 'North\0Line', cost: 0.05 },
			{ valid: true, operator: 'North \uD83D', cost: 0.05 },
			{ valid: true, operator: 'South Line', cost: '0.05 RUB' },
			{ valid: true, operator: 'Not here', cost: 0.05 },
			{ valid: false, reason: 'unknown', cost: null },
		];
		const numbers = answers.map((_answer, place) => `${place}`);
		await query("ALTER TABLE phone_checks ADD CHECK (operator <> 'Not here')");
		await query(
			`INSERT INTO phone_list (phone) VALUES ${numbers.map((number) => `('${number}')`).join()}`,
		);
		await query(
			"INSERT INTO phone_chunks (execution_id, numbers, claimed_until) VALUES ('x', 6, now())",
		);
		await query('UPDATE phone_checks SET chunk_id = 1, failures = 1');

		expect(await write(1, answers, numbers)).toEqual([['1', '6', '2', '4', '0.3']]);
		const found = await query(
			'SELECT valid, operator, failures, error FROM phone_checks ORDER BY number',
		);
		const refused = expect.stringContaining('The database refused the result: ') as string;
		expect(found).toEqual([
			['t', 'North Line', '0', ''],
			['', '', '1', refused],
			['', '', '1', refused],
			['', '', '1', refused],
			['', '', '1', refused],
			['f', '', '0', ''],
		]);
	},
);

testTables('numbers whose results never get here are tried three times', async ({ query }) => {
	const take = await takerOf(query, { max_cost_per_month: 0 });
	await query("INSERT INTO phone_list (phone) VALUES ('1'), ('2')");
	for (const expected of [2, 2, 2, 0]) {
		expect(await take()).toHaveLength(expected);
		await dropClaims(query);
	}
	expect(await query('SELECT DISTINCT reason FROM phone_list_checked')).toEqual([
		['Its results were not written: the execution failed, or its worker died'],
	]);
});

testTables(
	'until a price is known, a killed execution holds one number, and counts later',
	async ({ query }) => {
		const take = await takerOf(query, { max_cost_per_month: 2, max_tries: 9 });
		const write = await writerOf(query);
		await query('INSERT INTO phone_list (phone) SELECT generate_series(1, 100)');
		for (const _kill of ['first', 'second', 'third']) {
			expect(await take()).toHaveLength(1);
			expect(await take()).toEqual([]);
			await dropClaims(query);
		}
		const [learned = ''] = await take();
		await write(4, [{ valid: true, cost: 0.35 }], [learned]);
		// Of 2, four checks have cost 1.40 or may have.
		expect(await take()).toHaveLength(1);
		expect(await take()).toEqual([]);
	},
);

testTables('a price that is set is reserved from the first chunk on', async ({ query }) => {
	const take = await takerOf(query, { max_cost_per_month: 2, highest_price: 0.35 });
	await query('INSERT INTO phone_list (phone) SELECT generate_series(1, 100)');
	expect(await take()).toHaveLength(5);
	await dropClaims(query);
	expect(await take()).toEqual([]);
});

testTables('chunks grow while numbers cost nothing', async ({ query }) => {
	const take = await takerOf(query, { max_cost_per_month: 2 });
	const write = await writerOf(query);
	await query('INSERT INTO phone_list (phone) SELECT generate_series(1, 100)');
	for (const [chunk, expected] of [1, 2, 4, 8].entries()) {
		const numbers = await take();
		expect(numbers).toHaveLength(expected);
		const free = numbers.map(() => ({ valid: null, reason: 'unreadable: no number', cost: 0 }));
		await write(chunk + 1, free, numbers);
	}
});

testTables('the cost limit is that of a calendar month', async ({ query }) => {
	const take = await takerOf(query, { max_cost_per_month: 10 });
	await query("INSERT INTO phone_list (phone) VALUES ('1'), ('2')");
	await query(`INSERT INTO phone_chunks (execution_id, numbers, taken_at, claimed_until, written_at, done, cost, dearest)
			VALUES ('before', 200, date_trunc('month', now()) - interval '1 hour', now(), now() - interval '1 hour', 200, 10, 0.05)`);
	expect(await take()).toHaveLength(2);
	await dropClaims(query);

	await query("UPDATE phone_chunks SET taken_at = now() WHERE execution_id = 'before'");
	expect(await take()).toEqual([]);
});

testTables('no chunk starts without a country code', async ({ query }) => {
	await query("INSERT INTO phone_list (phone) VALUES ('8 922 000-00-01')");
	const take = await takerOf(query, { default_country_code: '' });
	await expect(take()).rejects.toThrow('Enter default_country_code in Settings');
	expect(await query('SELECT count(*) FROM phone_chunks')).toEqual([['0']]);
});

testTables(
	'a list is noted once, when nothing has been left to check for a while, with what all its chunks have cost',
	async ({ query }) => {
		const take = await queryOf(query, { max_tries: 1 });
		const write = await writerOf(query);
		const noted = async () => JSON.parse((await take())[1] ?? '') as unknown[];
		const paidFor = (valid: boolean) => ({ valid, reason: 'ok', cost: 0.05 });
		const unreadable = { reason: 'unreadable: no number', cost: 0 };
		// Columns of the list may have the names of results.
		await query('ALTER TABLE phone_list ADD number text, ADD valid text, ADD reason text');
		await query("INSERT INTO phone_list (phone) VALUES ('1'), ('2'), ('3'), ('1'), ('4')");
		expect(await noted()).toEqual([]);
		await write(1, [paidFor(true), paidFor(false), unreadable, { error: 'no' }], [...'1234']);

		// More might come.
		expect(await noted()).toEqual([]);
		await dropClaims(query);
		await query("UPDATE phone_chunks SET taken_at = written_at - interval '90 seconds'");
		expect(await noted()).toEqual([
			{
				...{ event: 'list', run: 'x', example: 'The example', name: 'phone_list' },
				...{ rows: 5, valid: 2, invalid: 1, unreadable: 1, paid: 2, cost: 0.1, seconds: 90 },
			},
		]);
		expect(await noted()).toEqual([]);

		await query("INSERT INTO phone_list (phone) VALUES ('5')");
		expect(await noted()).toEqual([]);
		await dropClaims(query);
		// A chunk that was never written was paid for, perhaps.
		expect(await noted()).toMatchObject([{ rows: 6, valid: 2, paid: 0, cost: 0.05 }]);
	},
);

testTables('a list is not noted while its numbers wait for money', async ({ query }) => {
	await query("INSERT INTO phone_list (phone) VALUES ('1'), ('2')");
	const take = await queryOf(query, { max_cost_per_month: 0.05, highest_price: 0.05 });
	const write = await writerOf(query);
	await take();
	await write(1, [{ valid: true, cost: 0.05 }], ['1']);
	await dropClaims(query);
	const [, listRuns, , numbers] = await take();
	expect([listRuns, numbers]).toEqual(['[]', '[]']);
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
			// Until a price is known, a limit of the cost lets one number through at a time.
			const unlimited = withSettings(withCountryCode(await workersExample()), {
				max_cost_per_month: 0,
			});
			const file = withChosenCredentials(unlimited, chosen);
			const { id } = await client.workflows.create(file);
			/** Runs it as its schedule would, and returns how many requests the service has received so far. */
			const requestsAfterRun = async () => {
				expect((await client.run(id, 'Every Minute')).error).toBeUndefined();
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

describeInN8n('check-large-list-workers, where the database refuses a result', {}, (n8n) => {
	testTables('pays once for the others, and three times for that one', async ({ query, login }) => {
		const { client, credential, emulator } = n8n;
		const postgres = await client.credentials.create('Refusing list', 'postgres', login);
		const chosen = { [CREDENTIAL_TYPE]: credential, postgres };
		const file = withChosenCredentials(withCountryCode(await workersExample()), chosen);
		const { id } = await client.workflows.create(file);
		const numbers = [1, 2, 3, 4].map((last) => `7922000000${last}`);
		await query(`INSERT INTO phone_list (phone) VALUES ('${numbers.join("'), ('")}')`);
		await query(`ALTER TABLE phone_checks ADD CHECK (number <> '${numbers[0]}' OR valid IS NULL)`);

		for (const _start of [1, 2, 3, 4, 5]) {
			await client.run(id, 'Every Minute');
			await dropClaims(query);
		}
		const paid = emulator.ledger.checks.map(({ source }) => source).sort();
		expect(paid).toEqual([numbers[0], numbers[0], ...numbers]);
		const results = await query('SELECT phone, valid, reason FROM phone_list_checked');
		expect(results).toEqual([
			[numbers[0], '', expect.stringContaining('violates check constraint')],
			...numbers.slice(1).map((number) => [number, 't', 'ok']),
		]);
		await client.credentials.delete(postgres);
	});
});

type Query = Postgres['query'];

/** Writes the answers of a chunk, as the example does. */
async function writerOf(query: Query) {
	const statement = await statementOf('Write Results');
	return async (chunk: number, answers: object[], numbers = ['1', '2']) => {
		const asked = JSON.stringify(numbers.map((number) => ({ number })));
		return await query(
			`PREPARE write (bigint, json, json, float8) AS ${statement};
				EXECUTE write (${chunk}, '${asked}', '${JSON.stringify(answers)}', 10)`,
		);
	};
}

const TAKE_DEFAULTS = {
	default_country_code: '7',
	max_cost_per_month: 0,
	max_tries: 3,
	highest_price: 0,
};

/** Takes a chunk, as the example does, and returns its numbers. */
async function takerOf(query: Query, settings: Partial<typeof TAKE_DEFAULTS>) {
	const take = await queryOf(query, settings);
	return async () => {
		const numbers = JSON.parse((await take()).at(-1) ?? '') as Array<{ number: string }>;
		return numbers.map(({ number }) => number);
	};
}

/** Takes a chunk, as the example does, and returns what comes out. */
async function queryOf(query: Query, settings: Partial<typeof TAKE_DEFAULTS>) {
	const [, take = ''] = (await statementOf('Take Chunk')).split(/(?<=MODE);\s*/);
	const { default_country_code, max_cost_per_month, max_tries, highest_price } = {
		...TAKE_DEFAULTS,
		...settings,
	};
	return async () => {
		const [found = []] = await query(
			`PREPARE take (int, numeric, int, int, float8, float8, text, numeric, text, text) AS ${take};
				EXECUTE take (250, ${max_cost_per_month}, 90, ${max_tries}, 10, 15, 'x', ${highest_price}, '${default_country_code}', 'The example')`,
		);
		return found;
	};
}

/** As if all claims had expired, and all pauses were over. */
async function dropClaims(query: Query): Promise<void> {
	await query('UPDATE phone_checks SET free_from = now()');
	await query('UPDATE phone_chunks SET claimed_until = now()');
	await query("UPDATE phone_chunks SET written_at = written_at - interval '10 minutes'");
}
