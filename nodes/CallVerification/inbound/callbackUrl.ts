import type {
	IExecuteFunctions,
	IHookFunctions,
	IWebhookDescription,
	IWebhookFunctions,
} from 'n8n-workflow';

import { InputError } from '../contract/request';
import { isRecord, omit } from '../contract/fields';
import { responseToNothing } from '../transport/ownAddress';
import { parseIpAllowlist } from './ipAllowlist';
import { lastSeenPaths, rememberPaths, type TriggerPaths } from './processMemory';

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

const LOCAL_NAME = /(?:\.localhost|\.local|\.internal|\.lan|\.home\.arpa)$/i;

export interface CallbackSurroundings {
	/** `$execution.resumeUrl`; follows n8n's N8N_WEBHOOK_URL. */
	readonly resumeUrl: string;
	/** Of the published triggers. */
	readonly triggerPaths: readonly string[];
	/** Of triggers that may be published: see `confirmTrigger`. */
	readonly unconfirmedPaths: readonly string[];
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

export const isPasted = (value: unknown) =>
	typeof value === 'string' ? value.trim() !== '' : (value ?? '') !== '';

const noTrigger = (advice: string) =>
	new InputError('No published trigger was found in this workflow', advice);

/** A pasted URL wins; otherwise the only published trigger of this workflow is used. */
export function triggerCallback(pasted: unknown, surroundings: CallbackSurroundings): string {
	const { resumeUrl, triggerPaths, unconfirmedPaths, isPublished, isManual } = surroundings;
	if (isPasted(pasted)) {
		const url = readCallbackUrl(pasted);
		// A test URL only works for two minutes in an open editor, never in production.
		if (isManual || !new URL(url).pathname.split('/').includes('webhook-test')) return url;
		throw new InputError(
			'“Callback URL” is a test URL, which does not work in production executions',
			'Publish the workflow of the trigger and paste its production URL.',
		);
	}
	const [path, ...others] = triggerPaths.length > 0 ? triggerPaths : unconfirmedPaths;
	if (path === undefined) throw noTrigger(isPublished ? PUBLISHED_BUT_ERASED : PUBLISH_OR_PASTE);
	if (others.length > 0) {
		throw new InputError(
			'This workflow has more than one Call Verification Trigger',
			'Paste the production URL of the one you mean into “Callback URL”.',
		);
	}
	// n8n builds a resume URL as <base>/<endpoint>/<execution>, and a webhook's as <base>/<path>.
	const { origin, pathname } = new URL(resumeUrl);
	return `${origin}${pathname.split('/').slice(0, -2).join('/')}/${path}`;
}

export function executionCallback({ resumeUrl }: CallbackSurroundings): string {
	const url = new URL(resumeUrl);
	url.pathname += `/${INBOUND_CALL_PATH}`;
	return url.toString();
}

/** The ID of the trigger or execution that a URL points to. Undefined if a proxy in front of n8n uses its own path. */
export function targetIdOf(callbackUrl: string): string | undefined {
	const [name, id] = new URL(callbackUrl).pathname.split('/').reverse();
	return name === INBOUND_CALL_PATH && id !== '' ? id : undefined;
}

export function isPrivateHost(url: string): boolean {
	const host = new URL(url).hostname.replace(/[[\]]/g, '');
	const isOneWord = !/[.:]/.test(host);
	return isOneWord || LOCAL_NAME.test(host) || isPrivateAddress?.(host) === true;
}

/** Paths by node ID. The rest of a URL depends on n8n's settings, and n8n 2.x runs no hook when they change. */
const REGISTRY = 'callVerificationTriggers';

type TriggerContext = IHookFunctions | IWebhookFunctions;

/** Listening in the editor, which must not change the production path. */
export const isTest = (context: TriggerContext) => context.getMode() === 'manual';

export const isRegistered = (context: TriggerContext) =>
	isTest(context) || storedIn(context)?.[context.getNode().id] === pathOf(context);

/** Writes only if needed, because saving static data undoes what others have saved meanwhile. */
export function registerTrigger(context: TriggerContext): void {
	if (isRegistered(context)) return;
	register(context, { ...registryOf(context), [context.getNode().id]: pathOf(context) });
}

export function unregisterTrigger(context: IHookFunctions): void {
	if (isTest(context)) return;
	register(context, omit(registryOf(context) ?? {}, [context.getNode().id]));
}

function register(context: TriggerContext, registry: TriggerPaths): void {
	context.getWorkflowStaticData('global')[REGISTRY] = registry;
	rememberPaths(context.getWorkflow().id, registry);
}

export function registeredPaths(context: IExecuteFunctions): string[] {
	const registry = registryOf(context);
	const registered = Object.values(registry ?? {}).filter((path) => typeof path === 'string');
	if (registry !== undefined && registered.length === 0) return [];
	const mode = context.getMode();
	// Workers take every workflow for unpublished, but only a published one is started by its own triggers.
	const isPublished = context.getWorkflow().active || mode === 'webhook' || mode === 'trigger';
	if (mode === 'manual' || !isPublished) return registered;
	// A Code node may have erased the static data. Of several triggers, only one may have registered again.
	const inWorkflow = pathsInWorkflow(context);
	return inWorkflow.length > registered.length ? inWorkflow : registered;
}

/** Of the triggers in a workflow that the editor runs without static data, as on a worker or in n8n 1.x. */
export function unconfirmedPaths(context: IExecuteFunctions): string[] {
	const isUnknown = context.getMode() === 'manual' && registryOf(context) === undefined;
	return isUnknown ? pathsInWorkflow(context) : [];
}

/**
 * Asks at the URL itself: in a run of the editor, n8n takes every workflow for unpublished, and a worker gets no static
 * data either. Our trigger is recognized by its response to a request without a body.
 */
export async function confirmTrigger(context: IExecuteFunctions, url: string): Promise<void> {
	const response = await responseToNothing(context, url);
	if (isRecord(response) && response.accepted === false) return;
	if (response !== undefined) throw noTrigger(PUBLISH_OR_PASTE);
	throw new InputError(
		'This run cannot see whether the trigger is published',
		`n8n does not tell a run in the editor, and ${new URL(url).origin} cannot be reached from here. Paste the trigger’s production URL into “Callback URL”.`,
	);
}

/** The only source of the addresses if the static data is missing. n8n has no method for this. */
function pathsInWorkflow(context: IExecuteFunctions): string[] {
	const { workflow, additionalData } = context as { workflow?: unknown; additionalData?: unknown };
	if (!isRecord(workflow) || !isRecord(workflow.nodes) || !isRecord(additionalData)) return [];
	const endpoint = /[^/]*$/.exec(String(additionalData.webhookBaseUrl ?? ''))?.[0];
	if (!endpoint) return [];
	return Object.values(workflow.nodes)
		.filter(isRecord)
		.flatMap(({ type, disabled, webhookId }) => {
			const isOurs = String(type).endsWith('.callVerificationTrigger') && disabled !== true;
			const path = `${endpoint}/${String(webhookId)}/${INBOUND_CALL_PATH}`;
			return isOurs && typeof webhookId === 'string' ? path : [];
		});
}

function registryOf(context: TriggerContext | IExecuteFunctions) {
	const { id } = context.getWorkflow();
	const stored = storedIn(context);
	if (stored !== undefined) rememberPaths(id, { ...stored });
	return lastSeenPaths(id);
}

/** Undefined if it was erased: an unpublished trigger leaves an empty one. */
function storedIn(context: TriggerContext | IExecuteFunctions) {
	const registry = context.getWorkflowStaticData('global')[REGISTRY];
	return isRecord(registry) ? registry : undefined;
}

const pathOf = (context: TriggerContext) =>
	triggerPathOf(context.getNodeWebhookUrl('default') ?? '', context.getNode().webhookId);

/** Without a webhook ID, as in an imported workflow, n8n uses two segments: the workflow's ID and the node's name. */
export function triggerPathOf(webhookUrl: string, webhookId: string | undefined): string {
	const segments = new URL(webhookUrl).pathname.split('/');
	if (webhookId !== undefined) return segments.slice(-3).join('/');
	const path = segments.slice(-4).join('/');
	if (!path.includes('%')) return path;
	// n8n would not find its own webhook by the encoded name.
	throw new InputError(
		'The trigger has no webhook ID, so n8n uses its name, which contains a space or a special character',
		'Rename the trigger to one word, or add it again in the editor.',
	);
}
