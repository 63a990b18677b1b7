import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { freePorts } from '../process/freePorts';
import { startGuarded, type UserIds } from '../process/guardedProcess';
import { RestartableServer } from './restartableServer';
import type { ServerPrograms } from './serverPrograms';

const run = promisify(execFile);

/** The name of the database and of its owner, who needs no password on loopback. */
const NAME = 'n8n';

export interface Postgres {
	readonly server: RestartableServer;
	/** The fields of n8n's own Postgres credential. */
	readonly login: Readonly<Record<string, string | number>>;
	/** The settings that point n8n to it. */
	readonly settings: Readonly<Record<string, string>>;
	/** Returns the rows, each as a list of texts. */
	readonly query: (sql: string) => Promise<string[][]>;
}

/** Starts a separate PostgreSQL, with an empty database for n8n. */
export async function startPostgres(programs: ServerPrograms, folder: string): Promise<Postgres> {
	const user = await unprivilegedUser();
	await mkdir(folder, { recursive: true });
	if (user) await chown(folder, user.uid, user.gid);
	await makeCluster(programs, folder, user);

	const [port = 0] = await freePorts(1);
	const query = async (sql: string, database = NAME) => {
		const where = ['-h', '127.0.0.1', '-p', String(port), '-U', NAME, '-d', database];
		const { stdout } = await run(programs.psql, ['-XAtq', '-F', '\t', ...where, '-c', sql], {
			maxBuffer: 64e6,
		});
		return stdout
			.split('\n')
			.filter(Boolean)
			.map((row) => row.split('\t'));
	};
	const server = new RestartableServer({
		name: 'PostgreSQL',
		command: programs.postgres,
		// Only a power cut would need what fsync is for.
		args: ['-D', folder, '-h', '127.0.0.1', '-p', String(port), '-k', '', '-c', 'fsync=off'],
		folder,
		port,
		// Fast shutdown: disconnects clients and keeps what they have committed.
		stopSignal: 'SIGINT',
		user,
		isReady: async () =>
			await query('select 1', 'postgres').then(
				() => true,
				() => false,
			),
	});
	await server.start();
	await query(`create database ${NAME}`, 'postgres');
	return {
		server,
		login: {
			host: '127.0.0.1',
			port,
			database: NAME,
			user: NAME,
			password: '',
			ssl: 'disable',
		},
		settings: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: NAME,
			DB_POSTGRESDB_USER: NAME,
			// n8n's default, so that it notices when the server is down.
			DB_PING_INTERVAL_SECONDS: '2',
			// When the machine stands still, it is not.
			DB_PING_TIMEOUT_MS: '60000',
		},
		query: async (sql) => await query(sql),
	};
}

async function makeCluster(
	{ initdb }: ServerPrograms,
	folder: string,
	user: UserIds | undefined,
): Promise<void> {
	const args = ['-D', folder, '-U', NAME, '--auth=trust', '--encoding=UTF8', '--no-sync'];
	const init = await startGuarded(initdb, args, {
		cwd: folder,
		env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
		user,
	});
	const { code } = await init.finish();
	if (code !== 0)
		throw new Error(`PostgreSQL's data folder could not be created.\n${init.output.tail(20)}`);
}

/** PostgreSQL refuses to run as root; its package comes with a user for it. */
async function unprivilegedUser(): Promise<UserIds | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
	return { uid: await idOf('-u'), gid: await idOf('-g') };
}
