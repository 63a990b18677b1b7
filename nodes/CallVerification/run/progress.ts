import { every } from '../runtime/every';
import type { NodeRun } from './nodeRun';

const REPORT_EVERY = 10_000;

/**
 * Says how far the run is, until the function that this gives is called. n8n has no progress bar for a node: its log and,
 * in an editor run, the browser's console are told.
 */
export function startProgress({ context, clock, report, patience }: NodeRun): () => void {
	const startedAt = clock.now();
	return every(clock, REPORT_EVERY, () => {
		// What is left then fails in a moment.
		if (patience.givenUp !== undefined) return;
		const progress = report.progress(clock.now() - startedAt, patience.silence);
		const line = `${context.getNode().name}: ${progress}`;
		context.logger.info(line);
		context.sendMessageToUI(line);
	});
}
