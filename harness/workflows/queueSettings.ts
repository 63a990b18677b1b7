/**
 * n8n's own defaults except for these: the expression engine, which is four times faster on two cores this way; the
 * database connections that docs/queue-mode.md recommends; and the time until n8n notices a dead worker, by default a
 * minute and a half.
 */
export const SETTINGS = {
	N8N_EXPRESSION_ENGINE: 'legacy',
	DB_POSTGRESDB_POOL_SIZE: '10',
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};
