import { every } from '../pacing/every';
import type { RunContext } from './runContext';

const REPORT_EVERY = 10_000;

/** Reports progress until the returned function is called. n8n has no progress bar for nodes, so it goes to the log. */
export function startProgress({ context, clock, report, giveUp }: RunContext): () => void {
	const startedAt = clock.now();
	return every(clock, REPORT_EVERY, () => {
		// The remaining items are about to fail.
		if (giveUp.reason !== undefined) return;
		const progress = report.progress(clock.now() - startedAt, giveUp.noResponse);
		context.logger.info(`${context.getNode().name}: ${progress}`);
	});
}
