/**
 * n8n's own defaults except for these: runs of the editor on workers, as n8n 3.0 always has them; the database
 * connections that docs/queue-mode.md recommends; and the time until n8n notices a dead worker, by default a minute and
 * a half.
 */
export const SETTINGS = {
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	DB_POSTGRESDB_POOL_SIZE: '10',
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};
