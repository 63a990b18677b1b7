import { ExpiringMap } from '../pacing/expiringMap';

/**
 * All that this folder remembers between events and runs. n8n gives webhooks no exact storage, so it is in memory: each
 * n8n process has its own and starts with none. Nothing but what each comment names may touch it.
 */

/** By fingerprint. `call` is the same in every delivery of an event; `expiresAt` is in seconds, as in a seal. */
type HandledEvents = ExpiringMap<{ readonly call: string; readonly expiresAt: number }>;

const MOST_EVENTS = 100_000;
/** Only for `claimOnce`. Dropped when the seal expires, or if n8n responds with an error. */
export const usedSeals: HandledEvents = new ExpiringMap(MOST_EVENTS);
/** The same for events without a seal, for a day. Apart, because a flood of these would push out seals. */
export const reportedCalls: HandledEvents = new ExpiringMap(MOST_EVENTS);

/** More than an n8n has workflows that reject events in the same minutes. */
const MOST_LINES = 1_000;
/** Only for `logRejection`, by workflow and reason. When full, the line that was shown first is dropped. */
export const shownLines = new ExpiringMap<{ shownAt: number; hidden: number; expiresAt: number }>(
	MOST_LINES,
);

/** Paths by node ID, as in a workflow's static data. */
export type TriggerPaths = Readonly<Record<string, unknown>>;

/** Some megabytes, and more than an n8n runs. */
const MOST_WORKFLOWS = 10_000;
/** By workflow, for executions without static data: in the editor of n8n 1.x, or after a Code node erased it. */
const lastSeen = new Map<string | undefined, TriggerPaths>();

export const lastSeenPaths = (workflowId: string | undefined) => lastSeen.get(workflowId);

/** When full, the workflow is dropped that was seen longest ago. */
export function rememberPaths(workflowId: string | undefined, paths: TriggerPaths): void {
	// Otherwise it would stay in its old place of the order.
	lastSeen.delete(workflowId);
	lastSeen.set(workflowId, paths);
	if (lastSeen.size <= MOST_WORKFLOWS) return;
	const [seenLongestAgo] = lastSeen.keys();
	lastSeen.delete(seenLongestAgo);
}
