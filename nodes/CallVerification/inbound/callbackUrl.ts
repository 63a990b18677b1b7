import { InputError } from '../contract/request';
import { parseIpAllowlist } from './ipAllowlist';

/** The suffix of a resume URL and the path of the trigger: one name for one kind of event. */
export const INBOUND_CALL_PATH = 'inbound-call';

const PUBLISH_OR_PASTE =
	'Publish this workflow with a Call Verification Trigger in it, or paste the trigger’s production URL into “Callback URL”.';

const PUBLISHED_BUT_ERASED =
	'If the trigger is already published, a Code node has probably overwritten the workflow’s static data, which holds the trigger’s address. Unpublish the workflow and publish it again, or paste the URL.';

const isPrivateAddress = parseIpAllowlist(
	'0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::/128 ::1/128 fc00::/7 fe80::/10',
);

const LOCAL_NAME = /(?:^localhost|\.localhost|\.local|\.internal|\.lan|\.home\.arpa)$/i;

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

/** Returns the URL unchanged, because the service must call exactly what the user entered. */
export function readCallbackUrl(value: unknown): string {
	const url = typeof value === 'string' ? value.trim() : '';
	if (!URL.canParse(url) || !/^https?:\/\//i.test(url)) {
		throw new InputError(
			'“Callback URL” is not a complete URL',
			'Enter a complete URL that the service can reach from the internet, e.g. https://example.com/inbound-call.',
		);
	}
	return url;
}

/** A pasted URL wins; otherwise the only published trigger of this workflow is used. */
export function triggerCallback(pasted: unknown, surroundings: CallbackSurroundings): string {
	const { resumeUrl, triggerPaths, isPublished, isManual } = surroundings;
	const entered = typeof pasted === 'string' ? pasted.trim() : (pasted ?? '');
	if (entered !== '') return rejectTestUrl(readCallbackUrl(entered), isManual);
	const [path, ...others] = triggerPaths;
	if (path === undefined) {
		// In manual executions, n8n 1.x provides no static data that could have been erased.
		const isErasable = isPublished && !isManual;
		throw new InputError(
			'No published trigger was found in this workflow',
			isErasable ? `${PUBLISH_OR_PASTE} ${PUBLISHED_BUT_ERASED}` : PUBLISH_OR_PASTE,
		);
	}
	if (others.length > 0) {
		throw new InputError(
			'This workflow has more than one published Call Verification Trigger',
			'Paste the production URL of the one you mean into “Callback URL”.',
		);
	}
	// n8n builds a resume URL as <base>/<endpoint>/<execution>, and a webhook's as <base>/<path>.
	const base = new URL(resumeUrl);
	const basePath = base.pathname.split('/').slice(0, -2).join('/');
	return `${base.origin}${basePath}/${path}`;
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

/** Whether a URL points to a host that cannot be reached from the internet. */
export function isPrivateHost(url: string): boolean {
	const host = new URL(url).hostname.replace(/[[\]]/g, '');
	if (isPrivateAddress?.(host) === true || LOCAL_NAME.test(host)) return true;
	return !host.includes('.') && !host.includes(':');
}

/** A test URL only works for two minutes in an open editor, never in production. */
function rejectTestUrl(url: string, isManual: boolean): string {
	if (isManual || !new URL(url).pathname.split('/').includes('webhook-test')) return url;
	throw new InputError(
		'“Callback URL” is a test URL, which does not work in production executions',
		'Publish the workflow of the trigger and paste its production URL.',
	);
}
