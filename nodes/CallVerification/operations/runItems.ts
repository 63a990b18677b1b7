import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { firstFailure, runInOrder } from '../runtime/orderedPool';
import { settle } from '../runtime/settled';
import { StoppedError } from '../runtime/stopped';
import { isToolRun } from './isToolRun';
import { failedItem, toNodeError } from './nodeError';
import { NodeRun } from './nodeRun';
import { createProgress } from './progress';
import { readRequestOptions } from './requestOptions';
import { runItem } from './runItem';

/** Runs all items, as many at once as is good, and gives each its place. */
export async function runItems(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	// What a tool throws ends the whole agent or reaches the model as an empty text, depending on n8n.
	const continues = context.continueOnFail() || isToolRun(context);
	const options = await settle(async () => readRequestOptions(context));
	if (!options.ok) {
		const errors = context
			.getInputData()
			.map((_item, index) => toNodeError(context.getNode(), options.error, index));
		if (!continues && errors[0] !== undefined) throw errors[0];
		return errors.map(failedItem);
	}
	return await runAll(new NodeRun(context, options.value), continues);
}

async function runAll(run: NodeRun, continues: boolean): Promise<INodeExecutionData[]> {
	const { context, report } = run;
	const progress = createProgress(run);
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
