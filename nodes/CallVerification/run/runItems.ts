import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { knownError } from '../contract/errorCodes';
import { InputError, parseInput } from '../contract/request';
import { type Clock, firstFailure, runInOrder, StoppedError, TimeSlice } from '../pacing/time';
import { ServiceError } from '../transport/errors';
import { neverHtml } from '../transport/redact';
import {
	createItemContext,
	createRun,
	type Operation,
	readInput,
	type Resource,
	type RunContext,
	type RunInput,
} from './operation';
import { isLeftEmpty, readRequestOptions, type RequestOptions, readValue } from './options';
import { isInputIncluded, logProgress, resultOutput, type RunReport } from './output';

type PreparedItem = ReturnType<typeof prepareItem>;

/** Runs the items, some at a time, and returns them in order. */
export async function runItems(
	context: IExecuteFunctions,
	resources: readonly Resource[],
	clock: Clock,
	random: () => number,
): Promise<INodeExecutionData[]> {
	const input = readInput(context, resources);
	const { items, continues } = input;
	let options: RequestOptions;
	try {
		options = readRequestOptions(input.optionValues);
	} catch (error) {
		// They apply to all items.
		if (!continues) throw runError(context.getNode(), error, 0, NOTHING_TO_ADD);
		return items.map((_item, index) => failItem(input, error, index));
	}
	const run = createRun(input, options, clock, random);
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
			const aboutOthers = isList
				? 'Nothing was sent, because all items are validated first.'
				: NOTHING_TO_ADD;
			throw runError(context.getNode(), error, index, aboutOthers);
		}
	}
	return prepared;
}

function prepareItem(run: RunContext, itemIndex: number) {
	const operation = chosenOperation(run.input, itemIndex);
	const values = readParameters(run.input, operation, itemIndex);
	const parameters: unknown = parseInput(operation.parameters, values);
	operation.check?.(parameters, run);
	return { operation, parameters };
}

function chosenOperation({ context, resources }: RunInput, itemIndex: number): Operation {
	const chosenIn = <Choice extends { value: string }>(choices: readonly Choice[], name: string) => {
		const chosen = context.getNodeParameter(name, itemIndex);
		return choices.find(({ value }) => value === chosen);
	};
	const resource = chosenIn(resources, 'resource');
	const operation = resource && chosenIn(resource.operations, 'operation');
	if (operation !== undefined) return operation;
	throw new InputError(
		'The selected operation does not exist',
		'Open the node and select a resource and an operation from the lists.',
	);
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
		const value = readValue(field, context.getNodeParameter(name, itemIndex, fallback));
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
		return failItem(run.input, error, itemIndex, run.report);
	}
}

function endRun(
	run: RunContext,
	results: ReadonlyArray<PromiseSettledResult<INodeExecutionData> | undefined>,
): INodeExecutionData[] {
	const { input, report, keptResults } = run;
	const { budget, reused } = keptResults;
	report.cost = budget.known;
	report.possibleCost = budget.spent;
	report.unknownCosts = budget.unknown;
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

type NodeError = NodeApiError | NodeOperationError;

function failItem(input: RunInput, error: unknown, itemIndex: number, report?: RunReport) {
	// It was never sent, so it has not failed.
	if (error instanceof StoppedError) throw error;
	report?.endItem(true);
	// Throwing while n8n continues on error would send the unchanged input to the success output.
	if (!input.continues) throw error;
	const nodeError = toNodeError(input.context.getNode(), error, itemIndex, (text) => text);
	return { json: failureOutput(input, nodeError, itemIndex), pairedItem: { item: itemIndex } };
}

const NOTHING_TO_ADD = '';

/** The error that ends a run, with what became of the other items. */
function runError(node: INode, error: unknown, itemIndex: number, aboutOthers: string): NodeError {
	const nodeError = toNodeError(node, error, itemIndex, neverHtml);
	nodeError.description = sentences(nodeError.description, aboutOthers) + linkFor(error);
	return nodeError;
}

const ERRORS_PAGE =
	'https://github.com/n8n-nodes-call-verification/n8n-nodes-call-verification/blob/main/docs/errors.md';

/** Only in the error that ends a run, of which n8n renders the description as HTML. The `message` of an item is text. */
function linkFor(error: unknown): string {
	if (!(error instanceof ServiceError || error instanceof InputError)) return '';
	return ` <a href="${ERRORS_PAGE}${anchorFor(error)}" target="_blank">More about this error</a>`;
}

function anchorFor(error: ServiceError | InputError): string {
	// Its message may be in any section, and searching for its words finds it.
	if (error instanceof InputError) return '';
	const known = knownError(error.code);
	return known === undefined ? '#requests-and-responses' : `#code-${known.code}`;
}

/** Only our own words, because n8n stores the error with the execution, where others can read it. */
function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
	write: (text: string) => string,
): NodeError {
	if (error instanceof ServiceError || error instanceof InputError) {
		const message = write(error.message);
		const description = write(error.advice);
		if (error instanceof InputError) {
			return new NodeOperationError(node, message, { description, itemIndex });
		}
		const httpCode = error.code === undefined ? undefined : String(error.code);
		return new NodeApiError(node, { message }, { message, description, httpCode, itemIndex });
	}
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	const cause = error instanceof Error ? error : String(error);
	return new NodeOperationError(node, cause, { itemIndex });
}

/**
 * n8n routes an item to the error output only if it has exactly these keys (1.x: `error`, or `error` and `message`). It
 * merges the input's fields itself, using a paired item in object form, and ours overwrite them.
 */
function failureOutput(input: RunInput, error: NodeError, itemIndex: number): IDataObject {
	const { context, inputFields, isTool } = input;
	const { message, description: advice } = error;
	const failure = { error: message, ...(advice && { message: advice }) };
	try {
		if (isTool || !isInputIncluded(context, itemIndex)) return failure;
		const operation = chosenOperation(input, itemIndex);
		if (context.getNode().onError !== 'continueErrorOutput') {
			return inputFields.beside(failure, itemIndex, operation);
		}
		return inputFields.columns.has('message') ? { error: sentences(message, advice) } : failure;
	} catch {
		// Option or operation cannot be read, which may be the failure itself.
		return failure;
	}
}

/** The service's own words may lack a period. */
function sentences(...texts: ReadonlyArray<string | null | undefined>): string {
	const ended = texts.map((text) => text?.replace(/[^.!?…]$/, '$&.'));
	return ended.filter(Boolean).join(' ');
}
