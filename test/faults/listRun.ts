import { WorkflowExecute } from 'n8n-core';
import type { IDataObject, INodeParameters, OnError } from 'n8n-workflow';
import { createEmptyRunExecutionData } from 'n8n-workflow';

import {
	additionalDataFor,
	credential,
	type NodeRunResult,
	resultOf,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';
import type { Emulator } from '../../emulator/emulator';

export interface List {
	parameters: INodeParameters;
	items: IDataObject[];
	emulator: Emulator;
	/** The service's address, as n8n sees it. */
	baseUrl: string;
	onError?: OnError;
	retryOnFail?: boolean;
}

let executions = 0;

/** Runs the built node on a list, in n8n's engine. Every run is a separate execution. */
export async function runList({
	parameters,
	items,
	emulator,
	baseUrl,
	onError,
	retryOnFail,
}: List): Promise<NodeRunResult> {
	const node = {
		...verifyNode(parameters),
		...(onError && { onError }),
		...(retryOnFail && { retryOnFail, maxTries: 3, waitBetweenTries: 1 }),
	};
	const workflow = workflowOf([node], items);
	const account = credential({
		baseUrl,
		secretKey: emulator.secretKey,
		serviceId: emulator.serviceId,
	});
	const execution = new WorkflowExecute(
		additionalDataFor(account, String(++executions)),
		'trigger',
		createEmptyRunExecutionData(),
	);
	return resultOf(
		await execution.run({ workflow, startNode: workflow.getNode('Source') ?? node }),
	);
}
