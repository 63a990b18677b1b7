import type { RunningN8n } from '../../harness';

/** This run's n8ns; set only in jest's main process, where setup, reporter and teardown run. */
export const startedN8ns: RunningN8n[] = [];
