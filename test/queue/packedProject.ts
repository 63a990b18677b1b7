import type { packProject } from '../../harness';

/** Tells the test files where the tarball is. */
export const PACKED_VARIABLE = 'QUEUE_PACKED_PROJECT';

/** This run's packed project; set only in jest's main process, where setup and teardown run. */
export const packed: { project?: Awaited<ReturnType<typeof packProject>> } = {};
