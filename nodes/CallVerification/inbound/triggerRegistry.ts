import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';
import { INBOUND_CALL_PATH } from './callbackUrl';

/**
 * In the workflow's static data, so that Start finds the trigger of its own workflow. Only the path of a trigger is
 * stored, because the rest of the URL depends on n8n's settings, and n8n 2.x runs no hook when they change.
 */
const KEY = 'callVerificationTriggers';

const TRIGGER_TYPE = '.callVerificationTrigger';

/**
 * n8n saves static data as a whole: a Code node that changes its copy erases what was registered since its execution
 * started. So each process remembers the last registry of each workflow, and restores it.
 */
const lastSeen = new Map<string, IDataObject>();

type TriggerContext = IHookFunctions | IWebhookFunctions;
type Context = TriggerContext | IExecuteFunctions;

/** Listening in the editor, which must not change the production path. */
export function isTest(context: TriggerContext): boolean {
	return context.getMode() === 'manual';
}

/**
 * Endpoint, webhook ID and name: the part of the URL that belongs to the trigger. Without a webhook ID, as in an
 * imported workflow, n8n uses two segments instead: the ID of the workflow and the name of the node.
 */
export function triggerPathOf(webhookUrl: string, webhookId: string | undefined): string {
	const segments = webhookId === undefined ? 4 : 3;
	return new URL(webhookUrl).pathname.split('/').slice(-segments).join('/');
}

export function isRegistered(context: TriggerContext): boolean {
	return isTest(context) || read(context)[context.getNode().id] === pathOf(context);
}

/** Writes only if needed, because saving static data undoes what others have saved meanwhile. */
export function registerTrigger(context: TriggerContext): void {
	if (isRegistered(context)) return;
	write(context, { ...read(context), [context.getNode().id]: pathOf(context) });
}

export function unregisterTrigger(context: IHookFunctions): void {
	if (isTest(context)) return;
	const { id } = context.getNode();
	const others = Object.entries(read(context)).filter(([nodeId]) => nodeId !== id);
	write(context, Object.fromEntries(others));
}

/** The paths of all published triggers of the workflow. */
export function registeredPaths(context: IExecuteFunctions): string[] {
	const isStored = isRecord(context.getWorkflowStaticData('global')[KEY]);
	const inWorkflow = isStored ? [] : pathsInWorkflow(context);
	if (inWorkflow.length > 0) return inWorkflow;
	return Object.values(read(context)).filter((path) => typeof path === 'string');
}

/**
 * For when the static data is missing: a Code node may have erased it, and the workers of n8n 2.41 get none. n8n has no
 * method for this, so nothing is assumed about what it keeps here.
 */
function pathsInWorkflow(context: IExecuteFunctions): string[] {
	if (!isPublished(context)) return [];
	const { workflow, additionalData } = context as { workflow?: unknown; additionalData?: unknown };
	if (!isRecord(workflow) || !isRecord(workflow.nodes) || !isRecord(additionalData)) return [];
	const { webhookBaseUrl } = additionalData;
	const endpoint = typeof webhookBaseUrl === 'string' ? webhookBaseUrl.split('/').at(-1) : '';
	if (!endpoint) return [];
	return Object.values(workflow.nodes)
		.filter(isRecord)
		.filter(({ type, disabled }) => String(type).endsWith(TRIGGER_TYPE) && disabled !== true)
		.flatMap(({ webhookId }) =>
			typeof webhookId === 'string' ? `${endpoint}/${webhookId}/${INBOUND_CALL_PATH}` : [],
		);
}

/** Those workers take every workflow for unpublished, but only a published one is started by its own triggers. */
function isPublished(context: IExecuteFunctions): boolean {
	const mode = context.getMode();
	if (mode === 'manual') return false;
	return context.getWorkflow().active || mode === 'webhook' || mode === 'trigger';
}

function read(context: Context): IDataObject {
	const workflow = workflowOf(context);
	const staticData = context.getWorkflowStaticData('global');
	const stored = staticData[KEY];
	if (isRecord(stored)) {
		const registry = { ...stored } as IDataObject;
		lastSeen.set(workflow, registry);
		return registry;
	}
	// An unpublished trigger leaves an empty registry, so a missing one was erased.
	const erased = lastSeen.get(workflow);
	if (erased === undefined) return {};
	staticData[KEY] = { ...erased };
	return erased;
}

function write(context: Context, registry: IDataObject): void {
	context.getWorkflowStaticData('global')[KEY] = { ...registry };
	lastSeen.set(workflowOf(context), registry);
}

function workflowOf(context: Context): string {
	return String(context.getWorkflow().id);
}

function pathOf(context: TriggerContext): string {
	const { webhookId } = context.getNode();
	const path = triggerPathOf(context.getNodeWebhookUrl('default') ?? '', webhookId);
	// n8n would not find its own webhook by the encoded name.
	if (webhookId === undefined && path.includes('%')) {
		throw new InputError(
			'The trigger has no webhook ID, so n8n uses its name, which contains a space or a special character',
			'Rename the trigger to one word, or add it again in the editor.',
		);
	}
	return path;
}
