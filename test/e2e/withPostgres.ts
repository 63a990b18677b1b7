import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, serverPrograms, startPostgres } from '../../harness';

/** Without PostgreSQL these tests are skipped, and reported as skipped. */
export const testIfPostgres = serverPrograms ? test : test.skip;

/** A database for a workflow, separate for each test. */
export async function withPostgres(use: (postgres: Postgres) => Promise<void>): Promise<void> {
	if (!serverPrograms) throw new Error('There is no PostgreSQL');
	const folder = await mkdtemp(join(tmpdir(), 'call-verification-postgres-'));
	// PostgreSQL runs as another user and must be able to open its folder inside.
	await chmod(folder, 0o755);
	try {
		const postgres = await startPostgres(serverPrograms, join(folder, 'data'));
		try {
			await use(postgres);
		} finally {
			await postgres.server.stop();
		}
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
