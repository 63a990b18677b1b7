/**
 * n8n's own defaults, but for these: the expression engine, which is four times faster on two cores this way; the
 * database connections that docs/queue-mode.md advises; and the time after which a dead worker is noticed, a minute and
 * a half otherwise.
 */
export const SETTINGS = {
	N8N_EXPRESSION_ENGINE: 'legacy',
	DB_POSTGRESDB_POOL_SIZE: '10',
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};
