import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { firstFailure, runInOrder } from '../runtime/orderedPool';
import { settle } from '../runtime/settled';
import { StoppedError } from '../runtime/stopped';
import { failedItem, toNodeError } from './nodeError';
import { NodeRun } from './nodeRun';
import { createProgress } from './progress';
import { readRequestOptions, runItem } from './runItem';

/** Runs all items, as many at once as is good, and gives each its place. */
export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const run = new NodeRun(context, await readPace(context));
	const { report } = run;
	const progress = createProgress(run);
	const continues = context.continueOnFail();
	const stop = context.getExecutionCancelSignal();

	const results = await runInOrder<INodeExecutionData>({
		count: report.total,
		width: run.width,
		clock: run.clock,
		...(stop && { stop }),
		stopOnFailure: !continues,
		run: async (index, stopped) => {
			const result = await settle(async () => await runItem(run, index, stopped));
			if (!result.ok && result.error instanceof StoppedError) throw result.error;
			report.done += 1;
			progress();
			if (result.ok) return { json: result.value, pairedItem: { item: index } };
			report.failed += 1;
			const error = toNodeError(context.getNode(), result.error, index);
			// Throwing while n8n continues on error would send the unchanged input to the success output.
			if (!continues) throw error;
			return failedItem(error, index);
		},
	});

	const failure = firstFailure(results);
	if (failure !== undefined) {
		const error = toNodeError(context.getNode(), failure.error, failure.index);
		error.description = [error.description, report.doneBefore()].filter(Boolean).join(' ');
		throw error;
	}
	if (report.total > 1) run.hint(report.summary(), 'info');
	return results.flatMap((result) => (result?.ok ? [result.value] : []));
}

/** Wrong options are told with the first item, like any wrong value; until then any pace will do. */
async function readPace(context: IExecuteFunctions) {
	const options = await settle(async () => readRequestOptions(context, 0));
	return options.ok ? options.value : { concurrency: 1, requestsPerSecond: 0 };
}
