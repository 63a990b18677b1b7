import { every } from '../runtime/every';
import type { NodeRun } from './nodeRun';

const REPORT_EVERY = 10_000;

/**
 * Reports progress until the returned function is called. n8n has no progress bar for nodes, so it goes to the log and,
 * in manual executions, to the browser's console.
 */
export function startProgress({ context, clock, report, patience }: NodeRun): () => void {
	const startedAt = clock.now();
	return every(clock, REPORT_EVERY, () => {
		// The remaining items are about to fail.
		if (patience.givenUp !== undefined) return;
		const progress = report.progress(clock.now() - startedAt, patience.silence);
		const line = `${context.getNode().name}: ${progress}`;
		context.logger.info(line);
		context.sendMessageToUI(line);
	});
}
