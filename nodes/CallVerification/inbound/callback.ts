import { readCallbackUrl } from './callbackUrl';
import { InputError } from '../contract/request';

/** The suffix of a resume URL and the path of the trigger: one name for one kind of event. */
export const INBOUND_CALL_PATH = 'inbound-call';

const PUBLISH_OR_PASTE =
	'Publish this workflow with a Call Verification Trigger in it, or paste the trigger’s production URL into “Callback URL”.';

const PUBLISHED_BUT_ERASED =
	'If the trigger is already published, a Code node has probably overwritten the workflow’s static data, which holds the trigger’s address. Unpublish the workflow and publish it again, or paste the URL.';

/** What n8n knows about the URLs of this execution. */
export interface CallbackSurroundings {
	/** `$execution.resumeUrl`; follows n8n's WEBHOOK_URL. */
	readonly resumeUrl: string;
	/** Paths that published triggers of this workflow have stored. */
	readonly triggerPaths: readonly string[];
	/** Whether the workflow is published, with or without our trigger. */
	readonly isPublished: boolean;
	readonly isManual: boolean;
}

/** A pasted URL wins; otherwise the only published trigger of this workflow is used. */
export function triggerCallback(pasted: unknown, surroundings: CallbackSurroundings): string {
	if (!isBlank(pasted)) return refuseTestUrl(readCallbackUrl(pasted), surroundings);
	const [path, ...others] = surroundings.triggerPaths;
	if (path === undefined) {
		throw new InputError(
			'No published trigger was found in this workflow',
			isErasable(surroundings) ? `${PUBLISH_OR_PASTE} ${PUBLISHED_BUT_ERASED}` : PUBLISH_OR_PASTE,
		);
	}
	if (others.length > 0) {
		throw new InputError(
			'This workflow has more than one published Call Verification Trigger',
			'Paste the production URL of the one you mean into “Callback URL”.',
		);
	}
	// n8n builds a resume URL as <base>/<endpoint>/<execution>, and a webhook's as <base>/<path>.
	const base = new URL(surroundings.resumeUrl);
	const basePath = base.pathname.split('/').slice(0, -2).join('/');
	return `${base.origin}${basePath}/${path}`;
}

/** In manual executions, n8n 1.x provides no static data. */
function isErasable({ isPublished, isManual }: CallbackSurroundings): boolean {
	return isPublished && !isManual;
}

/** Resumes this execution where it waits for the inbound call. */
export function executionCallback({ resumeUrl }: CallbackSurroundings): string {
	const url = new URL(resumeUrl);
	url.pathname = `${url.pathname.replace(/\/+$/, '')}/${INBOUND_CALL_PATH}`;
	return url.toString();
}

/**
 * The ID of the trigger or execution that a callback URL points to. Undefined if a proxy in front of n8n uses its own
 * path.
 */
export function targetOf(callbackUrl: string): string | undefined {
	const [name, id] = new URL(callbackUrl).pathname.split('/').reverse();
	return name === INBOUND_CALL_PATH && id !== '' ? id : undefined;
}

/** A test URL only works for two minutes in an open editor, never in production. */
function refuseTestUrl(url: string, { isManual }: CallbackSurroundings): string {
	if (isManual || !new URL(url).pathname.split('/').includes('webhook-test')) return url;
	throw new InputError(
		'“Callback URL” is a test URL, which does not work in production executions',
		'Publish the workflow of the trigger and paste its production URL.',
	);
}

function isBlank(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}
