import type { packProject } from '../../harness';

/** Names the tarball for the test files. */
export const PACKED_VARIABLE = 'QUEUE_PACKED_PROJECT';

/** The packed project of this run; known in jest's main process only, where set-up and teardown run. */
export const packed: { project?: Awaited<ReturnType<typeof packProject>> } = {};
