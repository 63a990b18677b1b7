import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import type {
	IBinaryKeyData,
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	INodeTypes,
	IRun,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	OnError,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createEmptyRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';

import { CallVerification, CallVerificationApi, CallVerificationTrigger } from './builtPackage';

/** Runs the built node in n8n's own engine, between a source of items and two ends. */

export const SECRET_KEY = 'sk-live-Zq8vN2xT5wLb7RkD';
export const SERVICE_ID = '4711';
export const BASE_URL = 'https://service.test';

export const credential = (values: Partial<ICredentialDataDecryptedObject> = {}) => ({
	baseUrl: BASE_URL,
	secretKey: SECRET_KEY,
	serviceId: SERVICE_ID,
	authScheme: 'header',
	alternateBaseUrl: '',
	addressMode: 'primary',
	...values,
});

export interface RunContext {
	parameters: INodeParameters;
	items?: IDataObject[];
	/** Of each item, by field. */
	files?: InputFiles[];
	credential?: ICredentialDataDecryptedObject;
	onError?: OnError;
	retryOnFail?: boolean;
	nodeType?: string;
	/** Replaces the built node. */
	implementation?: INodeType;
	executionId?: string;
	mode?: WorkflowExecuteMode;
	/** The workflow's global static data. */
	staticData?: IDataObject;
	workflow?: WorkflowIdentity;
}

/** Content by field, named `<field>.csv` unless it has a name. */
export type InputFiles = Readonly<Record<string, string | Buffer | NamedFile>>;

interface NamedFile {
	readonly content: string | Buffer;
	readonly fileName: string | undefined;
}

/** A process remembers the triggers of a workflow, so some tests need their own workflow. */
interface WorkflowIdentity {
	id?: string;
	/** Whether it is published. */
	active?: boolean;
}

export interface NodeRunResult {
	run: IRun;
	/** Items on the success output and, with `continueErrorOutput`, on the error output. */
	success: INodeExecutionData[];
	failed: INodeExecutionData[];
	/** The texts of execution hints. */
	hints: string[];
	error:
		| (Error & { description?: string | null; httpCode?: string | null; context?: IDataObject })
		| undefined;
}

const NODE_NAME = 'Verify';
const NODE_TYPE = 'n8n-nodes-call-verification.callVerification';
export const TRIGGER_TYPE = `${NODE_TYPE}Trigger`;

export async function runNode({
	parameters,
	files,
	items = files?.map(() => ({})) ?? [{}],
	credential: credentialData = credential(),
	onError,
	retryOnFail,
	nodeType = NODE_TYPE,
	implementation,
	executionId = '1',
	mode = 'trigger',
	staticData,
	workflow: identity,
}: RunContext): Promise<NodeRunResult> {
	const node: INode = {
		...verifyNode(parameters),
		type: nodeType,
		...(onError ? { onError } : {}),
		...(retryOnFail ? { retryOnFail, maxTries: 3, waitBetweenTries: 1 } : {}),
	};
	const workflow = workflowOf([node], items, staticData, implementation, identity, files);
	return resultOf(await execute(workflow, { credential: credentialData, executionId, mode }));
}

/** Runs a workflow from its source. The execution can be cancelled, as Stop in the editor does. */
export function execute(
	workflow: Workflow,
	{
		credential: data = credential(),
		executionId = '1',
		mode = 'trigger',
	}: Pick<RunContext, 'credential' | 'executionId' | 'mode'> = {},
) {
	const execution = new WorkflowExecute(
		additionalDataFor(data, executionId),
		mode,
		createEmptyRunExecutionData(),
	);
	return execution.run({ workflow, startNode: workflow.getNode('Source') ?? undefined });
}

/** Does what n8n's Retry does: a new execution continues with the stored data of the failed one. */
export async function retryNode(
	{ run }: NodeRunResult,
	{ parameters, items = [{}], credential: data = credential(), implementation }: RunContext,
): Promise<NodeRunResult> {
	const stored = JSON.parse(JSON.stringify(run.data)) as IRunExecutionData;
	delete stored.resultData.error;
	stored.resultData.runData[NODE_NAME]?.pop();
	return resultOf(
		await new WorkflowExecute(
			additionalDataFor(data, '2'),
			'retry',
			stored,
		).processRunExecutionData(
			workflowOf([verifyNode(parameters)], items, undefined, implementation),
		),
	);
}

/** The output of the node under test. */
export function resultOf(run: IRun): NodeRunResult {
	const task = run.data.resultData.runData[NODE_NAME]?.at(-1);
	return {
		run,
		success: task?.data?.main?.[0] ?? [],
		failed: task?.data?.main?.[1] ?? [],
		hints: (task?.hints ?? []).map(({ message }) => message),
		error: run.data.resultData.error,
	};
}

export function verifyNode(parameters: INodeParameters): INode {
	return {
		id: 'verify-id',
		name: NODE_NAME,
		type: NODE_TYPE,
		typeVersion: 1,
		position: [200, 0],
		parameters,
		credentials: { callVerificationApi: { id: '1', name: 'Account' } },
	};
}

/** A chain: a source of items, then the given nodes one after another. */
export function workflowOf(
	nodes: INode[],
	items: IDataObject[],
	staticData?: IDataObject,
	implementation?: INodeType,
	identity: WorkflowIdentity = {},
	files: readonly InputFiles[] = [],
): Workflow {
	const source: INode = {
		id: 'source-id',
		name: 'Source',
		type: 'test.source',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const chain = [source, ...nodes];
	return new Workflow({
		id: 'workflow-id',
		nodes: chain,
		connections: Object.fromEntries(
			chain.slice(0, -1).map(({ name }, index) => [
				name,
				{
					main: [
						[{ node: chain[index + 1]?.name ?? '', type: NodeConnectionTypes.Main, index: 0 }],
					],
				},
			]),
		),
		active: false,
		nodeTypes: nodeTypes(items, files, implementation),
		settings: { executionOrder: 'v1' },
		...identity,
		...(staticData ? { staticData: { global: staticData } } : {}),
	});
}

function nodeTypes(
	items: IDataObject[],
	files: readonly InputFiles[],
	implementation?: INodeType,
): INodeTypes {
	const source = sourceNode(items, files);
	const byName = (name: string): INodeType => {
		if (name === 'test.source') return source;
		if (name === TRIGGER_TYPE) return new CallVerificationTrigger();
		if (name === NODE_TYPE || name === `${NODE_TYPE}Tool`) {
			return implementation ?? new CallVerification();
		}
		throw new Error(`No node type ${name}`);
	};
	return { getByName: byName, getByNameAndVersion: byName, getKnownTypes: () => ({}) };
}

function sourceNode(items: IDataObject[], files: readonly InputFiles[]): INodeType {
	const description: INodeTypeDescription = {
		displayName: 'Source',
		name: 'source',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'Source' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};
	return {
		description,
		async execute() {
			return [
				items.map((json, item) => ({
					json: structuredClone(json),
					...(files[item] && { binary: binaryOf(files[item]) }),
					pairedItem: { item },
				})),
			];
		},
	};
}

/** As n8n keeps files in memory. */
function binaryOf(files: InputFiles): IBinaryKeyData {
	return Object.fromEntries(
		Object.entries(files).map(([field, file]) => {
			const isNamed = typeof file === 'object' && 'content' in file;
			const { content, fileName } = isNamed ? file : { content: file, fileName: `${field}.csv` };
			const data = Buffer.from(content).toString('base64');
			return [field, { data, mimeType: 'text/csv', ...(fileName !== undefined && { fileName }) }];
		}),
	);
}

/** A file of an output item. */
export function fileIn(item: INodeExecutionData | undefined, field = 'data'): Buffer {
	return Buffer.from(item?.binary?.[field]?.data ?? '', 'base64');
}

export function additionalDataFor(
	credentialData: ICredentialDataDecryptedObject,
	executionId: string,
): IWorkflowExecuteAdditionalData {
	const hooks = new ExecutionLifecycleHooks('trigger', executionId, {
		id: 'workflow-id',
		name: 'Test',
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(0),
		updatedAt: new Date(0),
		nodes: [],
		connections: {},
	});
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		executionId,
		instanceBaseUrl: 'https://n8n.test/',
		restApiUrl: 'https://n8n.test/rest',
		webhookBaseUrl: 'https://n8n.test/webhook',
		webhookTestBaseUrl: 'https://n8n.test/webhook-test',
		webhookWaitingBaseUrl: 'https://n8n.test/webhook-waiting',
		formBaseUrl: 'https://n8n.test/form',
		formTestBaseUrl: 'https://n8n.test/form-test',
		formWaitingBaseUrl: 'https://n8n.test/form-waiting',
		currentNodeExecutionIndex: 0,
		hooks,
		variables: {},
		credentialsHelper: credentialsHelper(credentialData),
		setExecutionStatus: () => {},
		sendDataToUI: () => {},
	};
	return data as IWorkflowExecuteAdditionalData;
}

/** Does what n8n's own helper does with a credential whose `authenticate` is a function. */
function credentialsHelper(data: ICredentialDataDecryptedObject): ICredentialsHelper {
	const type = new CallVerificationApi();
	const helper: Partial<ICredentialsHelper> = {
		getParentTypes: () => [],
		getDecrypted: async () => structuredClone(data),
		preAuthentication: async () => undefined,
		isCredentialUsableByNode: () => true,
		authenticate: async (credentials, _type, request) =>
			await type.authenticate(credentials, request as IHttpRequestOptions),
	};
	return helper as ICredentialsHelper;
}
