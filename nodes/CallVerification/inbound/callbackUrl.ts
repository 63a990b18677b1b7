import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IWebhookDescription,
	IWebhookFunctions,
} from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isRecord } from '../contract/fields';
import { parseIpAllowlist } from './ipAllowlist';

/** The suffix of a resume URL and the path of the trigger. */
const INBOUND_CALL_PATH = 'inbound-call';

export const callbackWebhook: IWebhookDescription = {
	name: 'default',
	httpMethod: 'POST',
	responseMode: 'onReceived',
	responseData: '',
	path: INBOUND_CALL_PATH,
};

const PUBLISH_OR_PASTE =
	'Publish this workflow with a Call Verification Trigger in it, or paste the trigger’s production URL into “Callback URL”.';

const PUBLISHED_BUT_ERASED = `${PUBLISH_OR_PASTE} If the trigger is already published, a Code node has probably overwritten the workflow’s static data, which holds the trigger’s address. Unpublish the workflow and publish it again, or paste the URL.`;

const isPrivateAddress = parseIpAllowlist(
	'0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::/128 ::1/128 fc00::/7 fe80::/10',
);

const LOCAL_NAME = /(?:^localhost|\.localhost|\.local|\.internal|\.lan|\.home\.arpa)$/i;

/** What n8n knows about the URLs of this execution. */
export interface CallbackSurroundings {
	/** `$execution.resumeUrl`; follows n8n's WEBHOOK_URL. */
	readonly resumeUrl: string;
	readonly triggerPaths: readonly string[];
	/** Whether the workflow is published, with or without our trigger. */
	readonly isPublished: boolean;
	readonly isManual: boolean;
}

/** Unchanged, because the service must call exactly what the user entered. */
export function readCallbackUrl(value: unknown): string {
	const url = typeof value === 'string' ? value.trim() : '';
	if (URL.canParse(url) && /^https?:\/\//i.test(url)) return url;
	throw new InputError(
		'“Callback URL” is not a complete URL',
		'Enter a complete URL that the service can reach from the internet, e.g. https://example.com/inbound-call.',
	);
}

/** A pasted URL wins; otherwise the only published trigger of this workflow is used. */
export function triggerCallback(pasted: unknown, surroundings: CallbackSurroundings): string {
	const { resumeUrl, triggerPaths, isPublished, isManual } = surroundings;
	const entered = typeof pasted === 'string' ? pasted.trim() : (pasted ?? '');
	if (entered !== '') {
		const url = readCallbackUrl(entered);
		// A test URL only works for two minutes in an open editor, never in production.
		if (isManual || !new URL(url).pathname.split('/').includes('webhook-test')) return url;
		throw new InputError(
			'“Callback URL” is a test URL, which does not work in production executions',
			'Publish the workflow of the trigger and paste its production URL.',
		);
	}
	const [path, ...others] = triggerPaths;
	if (path === undefined) {
		// In manual executions, n8n 1.x provides no static data that could have been erased.
		const advice = isPublished && !isManual ? PUBLISHED_BUT_ERASED : PUBLISH_OR_PASTE;
		throw new InputError('No published trigger was found in this workflow', advice);
	}
	if (others.length > 0) {
		throw new InputError(
			'This workflow has more than one published Call Verification Trigger',
			'Paste the production URL of the one you mean into “Callback URL”.',
		);
	}
	// n8n builds a resume URL as <base>/<endpoint>/<execution>, and a webhook's as <base>/<path>.
	const { origin, pathname } = new URL(resumeUrl);
	return `${origin}${pathname.split('/').slice(0, -2).join('/')}/${path}`;
}

/** Resumes this execution where it waits for the inbound call. */
export function executionCallback({ resumeUrl }: CallbackSurroundings): string {
	const url = new URL(resumeUrl);
	url.pathname = `${url.pathname.replace(/\/+$/, '')}/${INBOUND_CALL_PATH}`;
	return url.toString();
}

/** The ID of the trigger or execution that a URL points to. Undefined if a proxy in front of n8n uses its own path. */
export function targetIdOf(callbackUrl: string): string | undefined {
	const [name, id] = new URL(callbackUrl).pathname.split('/').reverse();
	return name === INBOUND_CALL_PATH && id !== '' ? id : undefined;
}

/** Whether the internet cannot reach it. */
export function isPrivateHost(url: string): boolean {
	const host = new URL(url).hostname.replace(/[[\]]/g, '');
	return isPrivateAddress?.(host) === true || LOCAL_NAME.test(host) || !/[.:]/.test(host);
}

/**
 * In the workflow's static data, so that Start finds the trigger of its own workflow: the path of each trigger by node
 * ID. The rest of the URL depends on n8n's settings, and n8n 2.x runs no hook when they change.
 */
const REGISTRY = 'callVerificationTriggers';

const TRIGGER_TYPE = '.callVerificationTrigger';

/**
 * n8n saves static data as a whole: a Code node that changes its copy erases what was registered since its execution
 * started. So each process remembers the last registry of each workflow, and restores it.
 */
const lastSeen = new Map<string, IDataObject>();

type TriggerContext = IHookFunctions | IWebhookFunctions;

/** Listening in the editor, which must not change the production path. */
export const isTest = (context: TriggerContext) => context.getMode() === 'manual';

export const isRegistered = (context: TriggerContext) =>
	isTest(context) || registryOf(context)[context.getNode().id] === pathOf(context);

/** Writes only if needed, because saving static data undoes what others have saved meanwhile. */
export function registerTrigger(context: TriggerContext): void {
	if (isRegistered(context)) return;
	register(context, { ...registryOf(context), [context.getNode().id]: pathOf(context) });
}

export function unregisterTrigger(context: IHookFunctions): void {
	if (isTest(context)) return;
	const { id } = context.getNode();
	const others = Object.entries(registryOf(context)).filter(([nodeId]) => nodeId !== id);
	register(context, Object.fromEntries(others));
}

/** Of all published triggers of the workflow. */
export function registeredPaths(context: IExecuteFunctions): string[] {
	const isStored = isRecord(context.getWorkflowStaticData('global')[REGISTRY]);
	const inWorkflow = isStored ? [] : pathsInWorkflow(context);
	if (inWorkflow.length > 0) return inWorkflow;
	return Object.values(registryOf(context)).filter((path) => typeof path === 'string');
}

/** A Code node may have erased the static data, and the workers of n8n 2.41 get none. n8n has no method for this. */
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

function registryOf(context: TriggerContext | IExecuteFunctions): IDataObject {
	const workflow = String(context.getWorkflow().id);
	const staticData = context.getWorkflowStaticData('global');
	const stored = staticData[REGISTRY];
	if (isRecord(stored)) lastSeen.set(workflow, { ...stored } as IDataObject);
	const registry = lastSeen.get(workflow);
	// An unpublished trigger leaves an empty registry, so a missing one was erased.
	if (!isRecord(stored) && registry !== undefined) staticData[REGISTRY] = { ...registry };
	return registry ?? {};
}

function register(context: TriggerContext, registry: IDataObject): void {
	context.getWorkflowStaticData('global')[REGISTRY] = { ...registry };
	lastSeen.set(String(context.getWorkflow().id), registry);
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

/**
 * Endpoint, webhook ID and name: the part of the URL that belongs to the trigger. Without a webhook ID, as in an
 * imported workflow, n8n uses two segments instead: the ID of the workflow and the name of the node.
 */
export function triggerPathOf(webhookUrl: string, webhookId: string | undefined): string {
	const segments = webhookId === undefined ? 4 : 3;
	return new URL(webhookUrl).pathname.split('/').slice(-segments).join('/');
}
