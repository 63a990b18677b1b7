import type { NodeRun } from './nodeRun';

const REPORT_EVERY = 10_000;

/** n8n has no progress bar for a node: its log and, in an editor run, the browser's console are told. */
export function createProgress({ context, clock, report }: NodeRun): () => void {
	const startedAt = clock.now();
	let reportedAt = startedAt;
	return () => {
		const now = clock.now();
		if (now - reportedAt < REPORT_EVERY) return;
		reportedAt = now;
		const line = `${context.getNode().name}: ${report.progress(now - startedAt)}`;
		context.logger.info(line);
		context.sendMessageToUI(line);
	};
}
