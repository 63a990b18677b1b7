import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAllGuarded } from '../process/guardedProcess';
import { freePorts } from '../process/loopback';
import type { N8nRole } from '../process/n8nSettings';
import { type RunningN8n, startN8n, statusOf } from '../process/startN8n';
import { waitUntil } from '../process/waitUntil';
import type { N8nProgram } from '../setup/n8nProgram';
import { installPackage } from '../setup/packages';
import {
	type Postgres,
	type Redis,
	type ServerPrograms,
	startPostgres,
	startRedis,
} from './servers';

/**
 * n8n's own defaults except for these: runs of the editor on workers, as n8n 3.0 always has them; the database
 * connections that docs/queue-mode.md recommends; and the time until n8n notices a dead worker, by default a minute and
 * a half.
 */
export const QUEUE_SETTINGS = {
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	DB_POSTGRESDB_POOL_SIZE: '10',
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

interface QueueModeOptions {
	readonly program: N8nProgram;
	readonly servers: ServerPrograms;
	/** Tarballs of community packages, installed once for all processes. */
	readonly packages: readonly string[];
	/** Added to the quiet, offline settings of all processes. */
	readonly settings?: Readonly<Record<string, string>>;
	/** Two unless said otherwise. */
	readonly workers?: number;
}

/** Four processes start at the same time, and each keeps a core busy. */
const START_LIMIT = 300_000;

interface Place {
	readonly role: N8nRole;
	readonly port: number;
}

/** n8n spread over one main, two webhook and two or more worker processes that share a database, a queue and a user folder. */
export class QueueMode {
	private processes: RunningN8n[] = [];

	private constructor(
		private readonly options: QueueModeOptions,
		private readonly folder: string,
		private readonly places: readonly Place[],
		readonly postgres: Postgres,
		readonly redis: Redis,
	) {}

	static async start(options: QueueModeOptions): Promise<QueueMode> {
		const folder = await mkdtemp(join(tmpdir(), 'call-verification-queue-'));
		try {
			return await QueueMode.startIn(folder, options);
		} catch (error) {
			await stopAllGuarded();
			await rm(folder, { recursive: true, force: true });
			throw error;
		}
	}

	private static async startIn(folder: string, options: QueueModeOptions): Promise<QueueMode> {
		// PostgreSQL runs as another user and must be able to reach its folder inside.
		await chmod(folder, 0o755);
		const postgres = await startPostgres(options.servers, join(folder, 'postgres'));
		const redis = await startRedis(options.servers, join(folder, 'redis'));
		for (const tarball of options.packages) await installPackage(tarball, join(folder, 'user'));

		const workers = Array<'worker'>(options.workers ?? 2).fill('worker');
		const roles = ['main', 'webhook', 'webhook', ...workers] as const;
		const ports = await freePorts(roles.length);
		const places = roles.map((role, index) => ({ role, port: ports[index] ?? 0 }));
		const queueMode = new QueueMode(options, folder, places, postgres, redis);
		await queueMode.startProcesses();
		return queueMode;
	}

	get main(): RunningN8n {
		return this.at(0);
	}

	get webhooks(): [RunningN8n, RunningN8n] {
		return [this.at(1), this.at(2)];
	}

	get workers(): RunningN8n[] {
		return this.processes.slice(3);
	}

	/** Stops all n8n processes cleanly and starts them again, each on its port. */
	async restartProcesses(): Promise<void> {
		await this.stopProcesses();
		await this.startProcesses();
	}

	/** Stops the workers cleanly and replaces them with new ones. */
	async restartWorkers(): Promise<void> {
		await Promise.all(
			this.workers.map(async (worker) => {
				await worker.stop();
				await this.replace(worker);
			}),
		);
	}

	/** Replaces a process that has ended with a new one. */
	async replace(ended: RunningN8n): Promise<void> {
		const index = this.processes.indexOf(ended);
		const place = this.places[index];
		if (!place) throw new Error('That process is not part of this n8n');
		this.processes[index] = await this.startProcess(place);
	}

	/** Like a supervisor, restarts processes that have ended on their own. Returns their roles. */
	async replaceEnded(): Promise<N8nRole[]> {
		const ended = this.processes.filter((n8n) => n8n.hasEnded());
		const roles = ended.map((n8n) => this.places[this.processes.indexOf(n8n)]?.role ?? 'main');
		for (const n8n of ended) await this.replace(n8n);
		return roles;
	}

	/** Waits until every process reports that it is ready, as a load balancer would. */
	async untilReady(): Promise<void> {
		let seen = '';
		await waitUntil(
			async () => {
				const statuses = await Promise.all(
					this.processes.map(async ({ url }) => await statusOf(`${url}/healthz/readiness`)),
				);
				seen = statuses.join(', ');
				return statuses.every((status) => status === 200) || undefined;
			},
			{ what: 'all processes are ready', limit: START_LIMIT, seen: () => seen },
		);
	}

	/** The end of each process's log. */
	logs(lines: number): string {
		return this.processes
			.map(({ log }, index) => {
				const role = this.places[index]?.role ?? '';
				return `n8n ${role} printed:\n${log().trim().split('\n').slice(-lines).join('\n')}`;
			})
			.join('\n\n');
	}

	async stop(): Promise<void> {
		await this.stopProcesses();
		await this.redis.server.stop();
		await this.postgres.server.stop();
		await rm(this.folder, { recursive: true, force: true });
	}

	private async startProcesses(): Promise<void> {
		const [main, ...others] = this.places;
		if (!main) return;
		// First and alone, because the main process runs the database migrations.
		this.processes = [await this.startProcess(main)];
		const started = await Promise.all(others.map(async (place) => await this.startProcess(place)));
		this.processes.push(...started);
	}

	private async stopProcesses(): Promise<void> {
		await Promise.all(this.processes.map(async (n8n) => await n8n.stop()));
	}

	private async startProcess({ role, port }: Place): Promise<RunningN8n> {
		const { program, settings } = this.options;
		const publicPort = this.places.find((place) => place.role === 'webhook')?.port ?? port;
		return await startN8n(program, {
			role,
			port,
			startLimit: START_LIMIT,
			userFolder: join(this.folder, 'user'),
			settings: {
				EXECUTIONS_MODE: 'queue',
				...this.postgres.settings,
				...this.redis.settings,
				N8N_WEBHOOK_URL: `http://127.0.0.1:${publicPort}/`,
				...settings,
			},
		});
	}

	private at(index: number): RunningN8n {
		const n8n = this.processes[index];
		if (!n8n) throw new Error('n8n has not started');
		return n8n;
	}
}
