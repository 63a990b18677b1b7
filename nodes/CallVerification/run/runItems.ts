import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { parseInput } from '../contract/request';
import { type Clock, firstFailure, runInOrder, StoppedError, TimeSlice } from '../pacing/time';
import { createItemContext } from './itemContext';
import { failItem, runError } from './itemErrors';
import { chosenOperation, type Operation, type PreparedItem, type Resource } from './operation';
import { isLeftEmpty } from './options';
import { resultOutput } from './output';
import { logProgress } from './report';
import { readRequestOptions, type RequestOptions } from './requestOptions';
import { RunContext, RunInput } from './runContext';

/** Runs the items, some at a time, and returns them in order. */
export async function runItems(
	context: IExecuteFunctions,
	resources: readonly Resource[],
	clock: Clock,
	random: () => number,
): Promise<INodeExecutionData[]> {
	const input = new RunInput(context, resources);
	const { items, continues } = input;
	let options: RequestOptions;
	try {
		options = readRequestOptions(input.optionValues);
	} catch (error) {
		// They apply to all items.
		return items.map((_item, index) => failItem(input, error, index));
	}
	const run = new RunContext(input, options, clock, random);
	const stopLogging = logProgress(context, run);
	try {
		const prepared = continues ? [] : await prepareAll(run);
		const results = await runInOrder({
			count: items.length,
			width: run.width,
			clock,
			stop: context.getExecutionCancelSignal(),
			stopOnFailure: !continues,
			run: async (index, stop) => await runItem(run, index, stop, prepared[index]),
		});
		return endRun(run, results);
	} finally {
		stopLogging();
		run.end();
	}
}

/** If a failure ends the run, all values are validated before the first request: a typo in the last row costs nothing. */
async function prepareAll(run: RunContext): Promise<PreparedItem[]> {
	const { context, items } = run.input;
	const stop = context.getExecutionCancelSignal() ?? new AbortController().signal;
	const isList = items.length > 1;
	const slice = new TimeSlice(run.clock);
	const prepared: PreparedItem[] = [];
	while (prepared.length < items.length && !stop.aborted) {
		if (slice.isOver) await slice.next();
		const index = prepared.length;
		try {
			const item = prepareItem(run, index);
			// A single item is about to find out by itself.
			if (isList) {
				await item.operation.verify?.(item.parameters, createItemContext(run, index, stop));
			}
			prepared.push(item);
		} catch (error) {
			const aboutOthers = isList ? 'Nothing was sent, because all items are validated first.' : '';
			throw runError(context.getNode(), error, index, aboutOthers);
		}
	}
	return prepared;
}

/** Reads the item's values and validates them without sending anything. */
function prepareItem(run: RunContext, itemIndex: number): PreparedItem {
	const { input } = run;
	const operation = chosenOperation(input, itemIndex);
	const parameters: unknown = parseInput(
		operation.parameters,
		readParameters(input, operation, itemIndex),
	);
	operation.check?.(parameters, {
		itemCount: input.items.length,
		isTool: input.isTool,
		callbackSurroundings: () => run.callbackSurroundings,
	});
	return { operation, parameters };
}

/** Reads each field once, because evaluating an expression takes time and n8n does not cache it. */
function readParameters(
	{ context, optionValues }: RunInput,
	{ fields, optionsOfRun }: Operation,
	itemIndex: number,
): Record<string, unknown> {
	const parameters: Record<string, unknown> = {};
	for (const field of fields) {
		const { name, type, required, default: fallback } = field;
		if (type === 'notice') continue;
		if (type === 'collection') {
			parameters[name] = optionValues.read(field, itemIndex, optionsOfRun);
			continue;
		}
		const value = context.getNodeParameter(name, itemIndex, fallback);
		// An empty text in an optional field counts as not entered.
		if (type === 'string' && !required && isLeftEmpty(value)) continue;
		parameters[name] = value;
	}
	return parameters;
}

async function runItem(
	run: RunContext,
	itemIndex: number,
	stop: AbortSignal,
	prepared?: PreparedItem,
): Promise<INodeExecutionData> {
	try {
		const ready = prepared ?? prepareItem(run, itemIndex);
		const item = createItemContext(run, itemIndex, stop);
		const result = await ready.operation.run(ready.parameters, item);
		const json = resultOutput(result, itemIndex, ready, run.input);
		const { output: binary } = item.files;
		run.report.endItem(false);
		return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };
	} catch (error) {
		return endFailedItem(run, error, itemIndex);
	}
}

function endFailedItem(run: RunContext, error: unknown, itemIndex: number): INodeExecutionData {
	// It was never sent, so it has not failed.
	if (error instanceof StoppedError) throw error;
	run.report.endItem(true);
	return failItem(run.input, error, itemIndex);
}

/** Returns the output and tells the user what the run has done. */
function endRun(
	run: RunContext,
	results: ReadonlyArray<PromiseSettledResult<INodeExecutionData> | undefined>,
): INodeExecutionData[] {
	const { input, report, keptResults } = run;
	const { budget, reused } = keptResults;
	report.cost = budget.known;
	report.unpriced = budget.unknown;
	report.reused = reused;
	const failure = firstFailure(results);
	if (failure !== undefined) {
		const aboutOthers = report.doneBefore(keptResults.store());
		throw runError(input.context.getNode(), failure.error, failure.index, aboutOthers);
	}
	keptResults.forget();
	for (const message of input.optionValues.hints) run.hint(message, 'warning');
	if (report.isWorthSaying) run.hint(report.summary(), report.isWarning ? 'warning' : 'info');
	return results.flatMap((result) => (result?.status === 'fulfilled' ? [result.value] : []));
}
