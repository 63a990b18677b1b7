import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { Breather, firstFailure, runInOrder } from '../pacing/pool';
import type { Clock } from '../pacing/clock';
import { settle } from '../pacing/settled';
import { StoppedError } from '../pacing/stop';
import { isToolRun, RunContext } from './runContext';
import { InputFields } from './inputFields';
import { sentences, toNodeError } from './nodeError';
import type { Resource } from './operation';
import { OptionValues } from './optionValues';
import type { PreparedItem } from './prepareItem';
import { failedItem, prepareItem } from './prepareItem';
import { startProgress } from './progress';
import { readRequestOptions } from './requestOptions';

/** Runs all items concurrently and returns them in order. */
export async function runItems(
	context: IExecuteFunctions,
	resources: readonly Resource[],
	clock: Clock,
	random: () => number,
): Promise<INodeExecutionData[]> {
	// Depending on n8n's version, an error thrown by a tool ends the agent or reaches the model as empty text.
	const isTool = isToolRun(context);
	const continues = context.continueOnFail() || isTool;
	const optionValues = new OptionValues(context, isTool);
	const options = await settle(async () => readRequestOptions(optionValues));
	if (!options.ok) {
		const items = context.getInputData();
		const errors = items.map((_item, index) =>
			toNodeError(context.getNode(), options.error, index),
		);
		if (!continues && errors[0] !== undefined) throw errors[0];
		const inputFields = new InputFields(items);
		return errors.map((error, index) =>
			failedItem({ context, resources, inputFields }, error, index),
		);
	}
	const run = new RunContext(context, resources, clock, random, options.value, optionValues);
	const endProgress = startProgress(run);
	try {
		return continues ? await runEach(run) : await runUntilFailure(run);
	} finally {
		endProgress();
		run.end();
	}
}

/** Reads an item's values when its turn comes. */
async function runEach(run: RunContext): Promise<INodeExecutionData[]> {
	return await runAll(run, true, (index) => prepareItem(run, index));
}

/** Validates all values before the first request, so that a typo in the last row costs nothing. */
async function runUntilFailure(run: RunContext): Promise<INodeExecutionData[]> {
	const { context, clock, itemCount } = run;
	const stop = context.getExecutionCancelSignal();
	const breather = new Breather(clock);
	const prepared: PreparedItem[] = [];
	while (prepared.length < itemCount && !stop?.aborted) {
		if (breather.isDue) await breather.breathe();
		try {
			const item = prepareItem(run, prepared.length);
			// A single item is about to find out by itself.
			if (itemCount > 1) await item.verify(stop ?? new AbortController().signal);
			prepared.push(item);
		} catch (error) {
			const advice =
				itemCount > 1 ? 'Nothing was sent, because all items are validated first.' : '';
			throw withAdvice(toNodeError(context.getNode(), error, prepared.length), advice);
		}
	}
	return await runAll(run, false, (index) => prepared[index] ?? prepareItem(run, index));
}

async function runAll(
	run: RunContext,
	continues: boolean,
	prepare: (index: number) => PreparedItem,
): Promise<INodeExecutionData[]> {
	const { context, report, earlierTries } = run;
	const stop = context.getExecutionCancelSignal();

	const results = await runInOrder<INodeExecutionData>({
		count: run.itemCount,
		width: run.width,
		clock: run.clock,
		...(stop && { stop }),
		stopOnFailure: !continues,
		run: async (index, stopped) => {
			const result = await settle(async () => await prepare(index).run(stopped));
			if (!result.ok && result.error instanceof StoppedError) throw result.error;
			report.endItem(!result.ok);
			if (result.ok) return result.value;
			const error = toNodeError(context.getNode(), result.error, index);
			// Throwing while n8n continues on error would send the unchanged input to the success output.
			if (!continues) throw error;
			return failedItem(run, error, index);
		},
	});

	run.countUp();
	const failure = firstFailure(results);
	if (failure !== undefined) {
		throw withAdvice(
			toNodeError(context.getNode(), failure.error, failure.index),
			report.doneBefore(earlierTries.keep()),
		);
	}
	earlierTries.forget();
	for (const message of run.optionValues.hints) run.hint(message, 'warning');
	if (report.isWorthSaying) run.hint(report.summary(), report.isWarning ? 'warning' : 'info');
	return results.flatMap((result) => (result?.ok ? [result.value] : []));
}

function withAdvice(error: ReturnType<typeof toNodeError>, advice: string) {
	error.description = sentences(error.description, advice);
	return error;
}
