import { type EmulatorProcess, LIMITED, UNLIMITED } from '../services';
import { CREDENTIAL_TYPE, credentialData } from '../../harness/emulatedService';
import {
	makeWorkersTables,
	type PublishedWorkers,
	publishWorkersExample,
} from '../../harness/workflows/largeLists';
import { connect, type N8nClient, type N8nProgram, type QueueMode, waitUntil } from '../../harness';
import { ENGINES, inQueueMode } from './stages';
import { cpuSeconds } from '../processFigures';
import type { WorkerRun, Workers } from './results';

const SERVICES = [UNLIMITED, LIMITED];
const EXECUTIONS_AT_ONCE = [1, 2, 4];
const FIRST_PHONE = 79_000_000_000;
const WARM_UP = 500;
const LIMIT = 1_800_000;

export interface WorkersExtent {
	/** How many numbers each run checks, and how many others are in the table with a fresh result. */
	readonly numbers: number;
	readonly others: number;
}

/** The example check-large-list-workers on two workers, with an increasing number of executions at once. */
export async function measureWorkers(
	program: N8nProgram,
	tarball: string,
	service: EmulatorProcess,
	{ numbers, others }: WorkersExtent,
): Promise<Workers[]> {
	return await inQueueMode(program, tarball, ENGINES.default, async (queueMode) => {
		const client = await connect(queueMode.main);
		await makeWorkersTables(queueMode.postgres);
		await addCheckedNumbers(queueMode, FIRST_PHONE + numbers, others);
		await runOnce(queueMode, client, service, {}, { executions: 2, numbers: WARM_UP });
		const found: Workers[] = [];
		for (const { name, title, behaviour } of SERVICES) {
			const runs: WorkerRun[] = [];
			for (const executions of EXECUTIONS_AT_ONCE) {
				console.log(`Measuring: ${title}, executions at once: ${executions}`);
				const list = { executions, numbers };
				runs.push(await runOnce(queueMode, client, service, behaviour, list));
			}
			const bytesInTables = await numberOf(queueMode, BYTES_IN_TABLES);
			found.push({ service: name, title, numbers, inTable: numbers + others, bytesInTables, runs });
		}
		return found;
	});
}

async function runOnce(
	queueMode: QueueMode,
	client: N8nClient,
	service: EmulatorProcess,
	behaviour: Parameters<EmulatorProcess['during']>[0],
	{ executions, numbers }: { executions: number; numbers: number },
): Promise<WorkerRun> {
	const { postgres, main, webhooks, workers } = queueMode;
	const groups = [main, ...webhooks, ...workers].map(({ pid }) => pid);
	await postgres.query(
		`DELETE FROM phone_checks WHERE number BETWEEN '${FIRST_PHONE}' AND '${FIRST_PHONE + numbers - 1}'`,
	);
	await postgres.query('TRUNCATE phone_chunks');
	await addNumbers(queueMode, FIRST_PHONE, numbers);
	const { traffic, ...run } = await service.during(behaviour, async (access) => {
		const example = await publish(queueMode, client, credentialData(access));
		const cpuBefore = cpuSeconds(groups);
		const databaseBefore = await numberOf(queueMode, DATABASE_SECONDS);
		await example.start(executions);
		await untilWritten(queueMode, numbers);
		return {
			cpuSeconds: cpuSeconds(groups) - cpuBefore,
			databaseSeconds: (await numberOf(queueMode, DATABASE_SECONDS)) - databaseBefore,
			seconds: await numberOf(queueMode, SECONDS),
			chunks: await numberOf(queueMode, 'SELECT count(*) FROM phone_chunks'),
		};
	});
	const { requests, answered, numbersChecked } = traffic;
	return {
		...run,
		executions,
		requests,
		lost: numbers - numbersChecked,
		chargedTwice: answered - numbersChecked,
	};
}

const SECONDS =
	'SELECT extract(epoch FROM max(written_at) - min(taken_at)) FROM phone_chunks WHERE done > 0';
/** For all statements, including n8n's own. */
const DATABASE_SECONDS =
	'SELECT active_time / 1000 FROM pg_stat_database WHERE datname = current_database()';
const BYTES_IN_TABLES =
	"SELECT sum(pg_total_relation_size(name)) FROM unnest('{phone_list,phone_checks,phone_chunks}'::regclass[]) AS name";

async function addNumbers({ postgres }: QueueMode, first: number, count: number): Promise<void> {
	await postgres.query(
		`INSERT INTO phone_list (name, phone, email) SELECT 'Name ' || phone, '+' || phone, phone || '@example.com' FROM generate_series(${first}, ${first + count - 1}) AS phone`,
	);
}

/** The results first, so that the rows of the list find their numbers there. */
async function addCheckedNumbers(
	queueMode: QueueMode,
	first: number,
	count: number,
): Promise<void> {
	const { query } = queueMode.postgres;
	await query(
		`INSERT INTO phone_checks (number, phone, checked_at) SELECT n, '+' || n, now() FROM generate_series(${first}, ${first + count - 1}) AS n`,
	);
	await addNumbers(queueMode, first, count);
	await query('VACUUM ANALYZE');
}

/** Each service has its own address, so each run has its own credential and workflow. */
async function publish(
	{ postgres, webhooks: [{ url }] }: QueueMode,
	client: N8nClient,
	service: ReturnType<typeof credentialData>,
): Promise<PublishedWorkers> {
	const place = {
		client,
		url,
		path: `workers-${new URL(service.baseUrl ?? '').port}`,
		service: await client.credentials.create('Service', CREDENTIAL_TYPE, service),
		postgres: await client.credentials.create('Database', 'postgres', postgres.login),
	};
	return await publishWorkersExample(place, { max_cost_per_month: 0 });
}

async function untilWritten(queueMode: QueueMode, numbers: number): Promise<void> {
	let seen = 0;
	await waitUntil(
		async () => {
			seen = await numberOf(queueMode, 'SELECT coalesce(sum(done), 0) FROM phone_chunks');
			return seen >= numbers || undefined;
		},
		{ what: `${numbers} numbers are written`, limit: LIMIT, seen: () => String(seen) },
	);
}

async function numberOf({ postgres }: QueueMode, sql: string): Promise<number> {
	return Number((await postgres.query(sql))[0]?.[0]);
}
