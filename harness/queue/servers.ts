import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import {
	type GuardedProcess,
	signalGroup,
	startGuarded,
	type UserIds,
} from '../process/guardedProcess';
import { freePorts } from '../process/loopback';
import { waitUntil } from '../process/waitUntil';

interface ServerFacts {
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
	/** Where the server keeps its data; removed if our process dies. */
	readonly folder: string;
	readonly port: number;
	/** Makes it stop cleanly, even if clients are connected. */
	readonly stopSignal: NodeJS.Signals;
	readonly user?: UserIds;
	/** Whether it responds; its port opens too early. */
	readonly isReady: () => Promise<boolean>;
}

const LIMIT = 30_000;

/** A server on loopback that can be restarted with its data and on its port. */
class RestartableServer {
	private running: GuardedProcess | undefined;

	constructor(private readonly facts: ServerFacts) {}

	async start(): Promise<void> {
		const { name, command, args, folder, user, isReady } = this.facts;
		const server = await startGuarded(command, args, {
			cwd: folder,
			env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
			discard: folder,
			user,
		});
		this.running = server;
		await waitUntil(
			async () => {
				if (server.hasEnded())
					throw new Error(`${name} ended by itself.\n${server.output.tail(20)}`);
				return (await isReady()) || undefined;
			},
			{ what: `${name} is ready`, limit: LIMIT, seen: () => server.output.tail(20) },
		);
	}

	async stop(): Promise<void> {
		if (!this.running) return;
		signalGroup(this.running.pid, this.facts.stopSignal);
		await this.running.finish();
		this.running = undefined;
	}
}

/** Sends one line to a server and returns the start of the response, or undefined if there is none. */
async function askServer(port: number, line: string): Promise<string | undefined> {
	const socket = connect(port, '127.0.0.1');
	try {
		await once(socket, 'connect');
		socket.write(line);
		const [answer] = (await once(socket, 'data')) as [Buffer];
		return answer.toString();
	} catch {
		return undefined;
	} finally {
		socket.destroy();
	}
}

/** What queue mode needs besides n8n, from Debian's packages postgresql and redis-server. */
export interface ServerPrograms {
	readonly initdb: string;
	readonly postgres: string;
	readonly psql: string;
	readonly redis: string;
}

/** Debian keeps the server's programs off the PATH, one folder per version. */
const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';

/** The installed programs, or undefined if one of them is missing. */
export const serverPrograms: ServerPrograms | undefined = findPrograms();

function findPrograms(): ServerPrograms | undefined {
	const initdb = findProgram('initdb');
	const postgres = findProgram('postgres');
	const psql = findProgram('psql');
	const redis = findProgram('redis-server');
	return initdb && postgres && psql && redis ? { initdb, postgres, psql, redis } : undefined;
}

/** The path of an installed program, or undefined if there is none. */
export function findProgram(name: string): string | undefined {
	const onPath = (process.env.PATH ?? '').split(delimiter);
	return [...newestPostgresql(), ...onPath].map((folder) => join(folder, name)).find(isExecutable);
}

function newestPostgresql(): string[] {
	try {
		const versions = readdirSync(DEBIAN_POSTGRESQL).sort((one, other) => +other - +one);
		return versions.map((version) => join(DEBIAN_POSTGRESQL, version, 'bin'));
	} catch {
		return [];
	}
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

export interface Redis {
	readonly server: RestartableServer;
	/** The settings that point n8n to it. */
	readonly settings: Readonly<Record<string, string>>;
}

/** Starts Redis with its defaults, so that it saves its data on a clean stop. */
export async function startRedis({ redis }: ServerPrograms, folder: string): Promise<Redis> {
	await mkdir(folder, { recursive: true });
	const [port = 0] = await freePorts(1);
	const server = new RestartableServer({
		name: 'Redis',
		command: redis,
		args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
		folder,
		port,
		stopSignal: 'SIGTERM',
		isReady: async () => (await askServer(port, 'PING\r\n'))?.startsWith('+PONG') ?? false,
	});
	await server.start();
	return {
		server,
		settings: { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(port) },
	};
}

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
