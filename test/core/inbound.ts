import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';

import { HookContext, WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeParameters,
	IRunExecutionData,
	IWebhookData,
	IWebhookResponseData,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import { rememberRequest } from '../../nodes/CallVerification/inbound/awaitedCall';
import {
	type CallbackSeal,
	sealCallback,
	sealNonce,
} from '../../nodes/CallVerification/inbound/callbackSeal';

import { CallVerification, CallVerificationTrigger } from '../../harness/engine/builtPackage';
import type { NodeRunResult } from '../../harness/engine/n8nCore';
import { eventAsItSends } from '../../harness/emulatedService';
import {
	additionalDataFor,
	credential,
	resultOf,
	SECRET_KEY,
	TRIGGER_TYPE,
	verifyNode,
	workflowOf,
} from '../../harness/engine/n8nCore';

/** Posts events, as the service under test sends them, to the built nodes in n8n's own contexts. */

export const EVENT = {
	callId: '1234567',
	callbackLink: 'https://n8n.test/webhook/hook-id/inbound-call',
	clientNumber: '79000000001',
	confirmationNumber: '78000000000',
	isMnp: false,
	operatorName: '',
	operatorNameMnp: '',
	regionName: 'B',
};

export interface PostedEvent {
	method?: 'GET' | 'POST';
	body: unknown;
	query?: Record<string, unknown>;
	ip?: string;
	headers?: Record<string, string>;
	/** How n8n's own response turns out after the node has accepted the event. */
	n8n?: 'answers 200' | 'answers 500' | 'is hung up on' | 'is hung up on and fails';
}

/** What the sender received, and what n8n was told to do. */
export interface EventResult {
	status: number | undefined;
	answer: unknown;
	headers: unknown;
	/** The items that would start or resume a workflow. */
	items: IDataObject[] | undefined;
	/** For each of them, the item that it comes from. */
	sources: unknown;
	/** Whether the sender would never get a response. */
	isHanging: boolean;
	/** The warnings in n8n's log. */
	log: string[];
}

/** Parses a URL's query as n8n's web server does. */
export function queryOf(url: string): Record<string, string> {
	return Object.fromEntries(new URL(url).searchParams);
}

export const NOW = Math.floor(Date.now() / 1_000);

/** The query of a callback for the tests' event, as “Inbound Call: Get Number to Call” makes it. */
export function sealed({
	key = SECRET_KEY,
	...values
}: Partial<CallbackSeal & { key: string }> = {}) {
	const seal = {
		phone: EVENT.clientNumber,
		expiresAt: NOW + 600,
		reference: 'contact-42',
		issuer: 'workflow-id',
		nonce: sealNonce(randomBytes),
		...values,
	};
	return queryOf(sealCallback('https://n8n.test/x', seal, key));
}

function exchange({
	method = 'POST',
	body,
	query = {},
	ip = '203.0.113.7',
	headers = {},
	n8n,
}: PostedEvent) {
	const sent: { status?: number; answer?: unknown; headers?: unknown } = {};
	const answer = (content: unknown) => {
		sent.answer = content;
		return response;
	};
	const response = Object.assign(new EventEmitter(), {
		statusCode: 200,
		status(code: number) {
			sent.status = code;
			return response;
		},
		set(content: unknown) {
			sent.headers = content;
			return response;
		},
		json: answer,
		send: answer,
	});
	/** What Node does with the response after the node has returned; n8n responds even after a hang-up. */
	const close = () => {
		const isHungUpOn = n8n?.startsWith('is hung up on') === true;
		if (isHungUpOn) response.emit('close');
		const fails = n8n === 'answers 500' || n8n === 'is hung up on and fails';
		response.statusCode = sent.status ?? (fails ? 500 : 200);
		response.emit('prefinish');
		if (!isHungUpOn) response.emit('close');
	};
	const http = {
		httpRequest: { method, body: eventAsItSends(body), query, ip, headers, params: {} },
		httpResponse: response,
	} as unknown as Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>;
	return { http, sent, close };
}

interface Receiver {
	readonly type: { webhook(this: WebhookContext): Promise<IWebhookResponseData> };
	readonly workflow: Workflow;
	readonly node: INode;
	readonly data: IWorkflowExecuteAdditionalData;
	readonly mode: WorkflowExecuteMode;
	/** Of an execution that waits. */
	readonly stored?: IRunExecutionData | null;
}

async function post(
	{ type, workflow, node, data, mode, stored = null }: Receiver,
	event: PostedEvent,
): Promise<EventResult> {
	const { http, sent, close } = exchange(event);
	const all = { ...data, ...http };
	const context = new WebhookContext(workflow, node, all, mode, webhookData, [], stored);
	const log: string[] = [];
	const ignore = () => {};
	const warn = (line: string) => log.push(line);
	Object.defineProperty(context, 'logger', {
		value: { warn, debug: ignore, info: ignore, error: ignore },
	});
	const response = await type.webhook.call(context);
	close();
	if (sent.status !== undefined && response.noWebhookResponse !== true) {
		throw new Error('n8n would answer a second time');
	}
	const items = response.workflowData?.[0];
	return {
		status: sent.status ?? (response.noWebhookResponse ? undefined : 200),
		answer: sent.answer ?? (response.webhookResponse as unknown),
		headers: sent.headers,
		items: items?.map(({ json }) => json),
		sources: items?.map(({ pairedItem }) => pairedItem),
		isHanging: response.noWebhookResponse === true && sent.status === undefined,
		log,
	};
}

const webhookData = { webhookDescription: { name: 'default' } } as unknown as IWebhookData;

export interface Trigger {
	parameters?: INodeParameters;
	credential?: ICredentialDataDecryptedObject;
	mode?: WorkflowExecuteMode;
	nodeId?: string;
	/** The trigger's complete workflow, as n8n stores it. */
	workflow?: Workflow;
}

export function triggerNode(parameters: INodeParameters = {}, nodeId = 'trigger-id'): INode {
	return {
		id: nodeId,
		name: 'Trigger',
		type: TRIGGER_TYPE,
		typeVersion: 2,
		position: [0, 0],
		webhookId: 'hook-id',
		parameters: { eventAuthentication: 'signature', options: {}, ...parameters },
		credentials: { callVerificationApi: { id: '1', name: 'Account' } },
	};
}

export async function postToTrigger(
	{ parameters, credential: data = credential(), mode = 'webhook', nodeId, workflow }: Trigger,
	event: PostedEvent,
): Promise<EventResult> {
	const node = triggerNode(parameters, nodeId);
	const receiver = { type: new CallVerificationTrigger(), data: additionalDataFor(data, '1') };
	const place = { node, mode, workflow: workflow ?? workflowOf([node], []) };
	return await post({ ...receiver, ...place }, event);
}

/** The hooks that n8n calls when a workflow is published and unpublished. */
export function triggerHooks(
	workflow: Workflow,
	node: INode,
	mode: WorkflowExecuteMode = 'webhook',
) {
	const data = additionalDataFor(credential(), '1');
	const context = new HookContext(workflow, node, data, mode, 'activate', {
		...webhookData,
		isTest: mode === 'manual',
	});
	const hooks = new CallVerificationTrigger().webhookMethods.default;
	return {
		checkExists: async () => await hooks.checkExists.call(context),
		create: async () => await hooks.create.call(context),
		remove: async () => await hooks.delete.call(context),
	};
}

interface WaitingOptions {
	credential?: ICredentialDataDecryptedObject;
	executionId?: string;
	/** Of the node that waits. */
	name?: string;
	/** Of the workflow. */
	id?: string;
	ask?: INodeParameters;
}

/** The memory of an execution whose Start requested the call of the tests' event. */
function requestedCalls(executionId: string): IDataObject {
	const memory: IDataObject = {};
	rememberRequest(
		{ getContext: () => memory, getExecutionId: () => executionId },
		{
			callId: EVENT.callId,
			phone: EVENT.clientNumber,
			confirmationNumber: EVENT.confirmationNumber,
		},
	);
	return memory;
}

/** An execution that waits at the node under test. */
export class WaitingExecution {
	private constructor(
		private readonly workflow: Workflow,
		private readonly account: ICredentialDataDecryptedObject,
		readonly result: NodeRunResult,
		private readonly executionId: string,
		private readonly name: string,
	) {}

	/** With `ask`, the parameters of Start, it requests the call itself. */
	static async start(
		parameters: INodeParameters,
		item: IDataObject,
		options: WaitingOptions = {},
	): Promise<WaitingExecution> {
		const { credential: data = credential(), executionId = '1', ask } = options;
		const { name = 'Verify', id = 'workflow-id' } = options;
		const asking = ask ? [{ ...verifyNode(ask), id: 'ask-id', name: 'Ask' }] : [];
		const nodes = [...asking, { ...verifyNode(parameters), name }];
		const workflow = workflowOf(nodes, [item], undefined, undefined, { id });
		const source = workflow.getNode('Source');
		if (source === null) throw new Error('The workflow has no source');
		const run = await new WorkflowExecute(
			additionalDataFor(data, executionId),
			'trigger',
			createRunExecutionData({
				executionData: {
					nodeExecutionStack: [{ node: source, data: { main: [[{ json: {} }]] }, source: null }],
					contextData: ask ? {} : { flow: requestedCalls(executionId) },
				},
			}),
		).processRunExecutionData(workflow);
		return new WaitingExecution(workflow, data, resultOf(run), executionId, name);
	}

	get waitTill(): Date | undefined {
		return this.result.run.data.waitTill;
	}

	/** As n8n stores it: the execution is resumed from this JSON. */
	private stored(): IRunExecutionData {
		return JSON.parse(JSON.stringify(this.result.run.data)) as IRunExecutionData;
	}

	/** With a credential that may have been changed meanwhile. */
	async post(event: PostedEvent, account = this.account): Promise<EventResult> {
		const node = this.workflow.getNode(this.name);
		if (node === null) throw new Error('The workflow has no node that waits');
		const { workflow } = this;
		const data = additionalDataFor(account, this.executionId);
		const place = { workflow, node, mode: 'trigger' as const, stored: this.stored() };
		return await post({ type: new CallVerification(), data, ...place }, event);
	}

	/** A visitor opens the form's page. */
	async visit(): Promise<EventResult> {
		return await this.post({ method: 'GET', body: {} });
	}

	/** What n8n's timer does when the limit ends. */
	async resumeByTimer(account = this.account): Promise<NodeRunResult> {
		const data = this.stored();
		data.waitTill = new Date(data.waitTill ?? 0);
		const additional = additionalDataFor(account, this.executionId);
		const execution = new WorkflowExecute(additional, 'trigger', data);
		return resultOf(await execution.processRunExecutionData(this.workflow));
	}
}
