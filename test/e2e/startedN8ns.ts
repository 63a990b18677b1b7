import type { RunningN8n } from '../../harness';

/** The n8ns of this test run; known in jest's main process only, where set-up, reporter and teardown run. */
export const startedN8ns: RunningN8n[] = [];
