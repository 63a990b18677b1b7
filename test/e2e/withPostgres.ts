import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, serverPrograms, startPostgres } from '../../harness';

/** Without PostgreSQL these tests are skipped, and reported as skipped. */
export const testIfPostgres = serverPrograms ? test : test.skip;

let folder: string | undefined;
let started: Promise<Postgres> | undefined;

async function start(): Promise<Postgres> {
	if (!serverPrograms) throw new Error('There is no PostgreSQL');
	folder = await mkdtemp(join(tmpdir(), 'call-verification-postgres-'));
	// PostgreSQL runs as another user and must be able to open its folder inside.
	await chmod(folder, 0o755);
	return await startPostgres(serverPrograms, join(folder, 'data'));
}

afterAll(async () => {
	await (await started)?.server.stop();
	if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** An empty database for a workflow, on the server of the test file. */
export async function withPostgres(use: (postgres: Postgres) => Promise<void>): Promise<void> {
	const postgres = await (started ??= start());
	await postgres.query('DROP SCHEMA public CASCADE');
	await postgres.query('CREATE SCHEMA public');
	await use(postgres);
}
