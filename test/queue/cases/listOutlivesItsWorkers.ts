import { startEmulatedService } from '../../../harness/emulatedService';
import type { Ledger } from '../../../emulator/emulator';
import { type RunningN8n, waitUntil } from '../../../harness';
import { seed, type Stage } from '../stage';
import { makeWorkersTables, publishWorkersExample } from '../../../harness/workflows/largeLists';

const NUMBERS = 3_000;
const TWICE_ON_THE_LIST = 150;
const NEW = 200;
const TOO_OLD = 100;
const CHUNK = 250;
const AT_ONCE = 4;
const FIRST_PHONE = 79_210_000_000;
const LATENCY = 100;
/** Enough for two thirds of the list. */
const MOST_CHECKS = 2_000;
const PRICE = 0.05;
const STRIKE_AFTER = 700;
const LIMIT = 300_000;

const WITHOUT_RESULT = 'SELECT phone, reason FROM phone_list_checked WHERE valid IS NULL';
const ROW_WITHOUT_NUMBER = ['', 'empty'];
const DEAD = 'SELECT id FROM phone_chunks WHERE written_at IS NULL';

/**
 * The example check-large-list-workers: a cost limit ends the list early and holds even though a worker is killed
 * halfway; then the rest without a limit; then the same list with new rows, and with results that are too old.
 */
export async function listOutlivesItsWorkers(stage: Stage): Promise<void> {
	const { client, queueMode } = stage;
	const { query, login } = queueMode.postgres;
	const { emulator, credential } = await startEmulatedService(client, { latencyMs: LATENCY });
	const { ledger } = emulator;
	const charged = () => ledger.checks.length;
	try {
		const postgres = await client.credentials.create('Postgres account', 'postgres', login);
		const { url } = queueMode.webhooks[0];
		const place = { client, url, service: credential, postgres };
		const limited = await publishWorkersExample(
			{ ...place, path: 'workers-limited' },
			{ max_cost_per_month: MOST_CHECKS * PRICE },
		);
		const unlimited = await publishWorkersExample(
			{ ...place, path: 'workers-unlimited' },
			{ max_cost_per_month: 0 },
		);
		await makeWorkersTables(queueMode.postgres);
		await query(rowsFrom(FIRST_PHONE, NUMBERS, "'+' || phone"));
		await query(
			rowsFrom(
				FIRST_PHONE,
				TWICE_ON_THE_LIST,
				"'7 (' || substr(phone::text, 2, 3) || ') ' || substr(phone::text, 5)",
			),
		);
		await query('INSERT INTO phone_list (phone) VALUES (NULL)');

		// Until a number reveals the price, no other execution claims one.
		await limited.start(1);
		await untilSeen(charged, CHUNK);
		await waitUntil(
			async () =>
				(await query('SELECT id FROM phone_chunks WHERE done > 0')).length > 0 || undefined,
			{ what: 'the first chunk is written', limit: LIMIT },
		);
		await limited.start(AT_ONCE - 1);
		await untilSeen(charged, STRIKE_AFTER);
		const worker = busiest(queueMode.workers, await runningExecutions(stage, limited.workflowId));
		await worker.kill();
		// Asked again, because it may have started one more in its last moment.
		const executions = startedBy(worker, await runningExecutions(stage, limited.workflowId));
		await Promise.all([
			queueMode.replace(worker),
			untilEnded(stage, limited.workflowId, executions),
		]);
		const inDeadHands = (
			await query(`SELECT number FROM phone_checks WHERE chunk_id IN (${DEAD})`)
		).flat();
		expect(chargedTwice(ledger)).toEqual([]);
		// A worker may take over an execution in its last moment, before n8n lists it as running.
		expect(inDeadHands.length).toBeLessThanOrEqual(CHUNK * AT_ONCE);

		// Later: the dead executions' claims have expired, but what they may have spent still counts.
		await query(`UPDATE phone_checks SET free_from = now() WHERE chunk_id IN (${DEAD})`);
		await query(`UPDATE phone_chunks SET claimed_until = now() WHERE id IN (${DEAD})`);
		await limited.start(2);
		await untilEnded(stage, limited.workflowId, executions);
		const chargedWithLimit = charged();
		expect(chargedWithLimit).toBeLessThanOrEqual(MOST_CHECKS);
		expect(chargedWithLimit).toBeGreaterThanOrEqual(MOST_CHECKS - inDeadHands.length);

		await unlimited.start(AT_ONCE);
		await untilEnded(stage, unlimited.workflowId);
		const twice = chargedTwice(ledger);
		seed.report('A list on two workers, one killed', {
			'executions on the killed one': executions.length,
			'numbers in their hands': inDeadHands.length,
			'charged with a limit of 2,000': chargedWithLimit,
			'charged in the end': charged(),
			'charged twice': twice.length,
		});
		expect(await query(WITHOUT_RESULT)).toEqual([ROW_WITHOUT_NUMBER]);
		expect(twice.filter((number) => !inDeadHands.includes(number))).toEqual([]);
		expect(charged()).toBe(NUMBERS + twice.length);

		const paid = charged();
		await query("UPDATE phone_checks SET checked_at = checked_at - interval '1 day'");
		await query(
			rowsFrom(FIRST_PHONE + NUMBERS - TWICE_ON_THE_LIST, TWICE_ON_THE_LIST + NEW, 'phone'),
		);
		await unlimited.start(2);
		await untilEnded(stage, unlimited.workflowId);
		expect(charged() - paid).toBe(NEW);

		await query(
			`UPDATE phone_checks SET checked_at = checked_at - interval '90 days'
			WHERE number BETWEEN '${FIRST_PHONE}' AND '${FIRST_PHONE + TOO_OLD - 1}'`,
		);
		await unlimited.start(2);
		await untilEnded(stage, unlimited.workflowId);
		expect(charged() - paid).toBe(NEW + TOO_OLD);
		expect(await query(WITHOUT_RESULT)).toEqual([ROW_WITHOUT_NUMBER]);
	} finally {
		await emulator.close();
	}
}

/** Adds `count` numbers to the list, starting at `first`, each formatted by the SQL expression `written`. */
function rowsFrom(first: number, count: number, written: string): string {
	return `INSERT INTO phone_list (phone) SELECT ${written} FROM generate_series(${first}, ${first + count - 1}) AS phone`;
}

async function untilSeen(charged: () => number, count: number): Promise<void> {
	await waitUntil(async () => charged() >= count || undefined, {
		what: `${count} numbers are checked`,
		limit: LIMIT,
		longestPause: 20,
		seen: () => String(charged()),
	});
}

/** Executions started by the trigger; their sub-executions run beside them on the same worker. */
async function runningExecutions({ queueMode }: Stage, workflowId: string): Promise<string[]> {
	const rows = await queueMode.postgres.query(
		`SELECT id FROM execution_entity WHERE "workflowId" = '${workflowId}' AND mode = 'webhook' AND status IN ('new', 'running')`,
	);
	return rows.flat();
}

/** Resolves once no execution runs, except those that died with their worker: n8n takes a while to notice these. */
async function untilEnded(
	stage: Stage,
	workflowId: string,
	dead: readonly string[] = [],
): Promise<void> {
	let seen: string[] = [];
	await waitUntil(
		async () => {
			seen = (await runningExecutions(stage, workflowId)).filter((id) => !dead.includes(id));
			return seen.length === 0 || undefined;
		},
		{ what: `workflow ${workflowId} has ended`, limit: LIMIT, seen: () => seen.join(', ') },
	);
}

/** The worker running most of these executions. */
function busiest(workers: readonly RunningN8n[], running: readonly string[]): RunningN8n {
	const [first] = workers
		.map((worker) => ({ worker, count: startedBy(worker, running).length }))
		.sort((one, other) => other.count - one.count);
	if (!first || first.count === 0) {
		throw new Error(`No worker says that it runs one of the executions ${running.join(', ')}`);
	}
	return first.worker;
}

/** Only a worker's log says what it runs, or ran. */
function startedBy(worker: RunningN8n, executions: readonly string[]): string[] {
	const log = worker.log();
	return executions.filter((id) => log.includes(`started execution ${id} `));
}

/** In digits, however the number was written. */
function chargedTwice({ checks }: Ledger): string[] {
	const numbers = checks.map(({ source }) => source.replace(/\D/g, ''));
	return numbers.filter((number, index) => numbers.indexOf(number) !== index);
}
