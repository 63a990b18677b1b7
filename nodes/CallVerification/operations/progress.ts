import type { NodeRun } from './nodeRun';

const REPORT_EVERY = 10_000;

/**
 * Says every ten seconds how far the run is, until the function that this gives is called. n8n has no progress bar for a
 * node: its log and, in an editor run, the browser's console are told.
 */
export function startProgress({ context, clock, report, patience }: NodeRun): () => void {
	const startedAt = clock.now();
	const tellEverybody = () => {
		// What is left then fails in a moment.
		if (patience.givenUp !== undefined) return;
		const line = `${context.getNode().name}: ${report.progress(clock.now() - startedAt, patience.silence)}`;
		context.logger.info(line);
		context.sendMessageToUI(line);
	};
	// Let go of at the end: the timer that is left over must not hold a whole run in memory.
	let tell: (() => void) | undefined = tellEverybody;
	const tellLater = () =>
		clock.timer(REPORT_EVERY).addEventListener('abort', () => {
			if (tell === undefined) return;
			tell();
			tellLater();
		});
	tellLater();
	return () => (tell = undefined);
}
