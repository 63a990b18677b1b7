import { fetch } from 'undici';

import { freshConnections } from './freshConnections';

export interface WebhookAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
	/** The text read as JSON, or undefined if it is none. */
	readonly json: unknown;
}

interface WebhookCall {
	readonly method?: string;
	/** An object is sent as JSON, a string as it is. */
	readonly body?: object | string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly limit?: number;
}

/** Calls a web-hook URL as somebody from outside would. */
export async function callWebhook(
	url: string,
	{ method = 'POST', body, headers = {}, limit = 60_000 }: WebhookCall = {},
): Promise<WebhookAnswer> {
	const isJson = typeof body === 'object';
	const response = await fetch(url, {
		method,
		headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
		body: isJson ? JSON.stringify(body) : body,
		redirect: 'manual',
		signal: AbortSignal.timeout(limit),
		dispatcher: freshConnections,
	});
	const text = await response.text();
	return {
		status: response.status,
		headers: Object.fromEntries(response.headers),
		text,
		json: parsed(text),
	};
}

/** The URL under which a published workflow's web-hook answers. */
export function productionUrl(n8nUrl: string, path: string): string {
	return `${n8nUrl}/webhook/${path}`;
}

/** The URL under which a published workflow's form is shown. */
export function formUrl(n8nUrl: string, webhookId: string): string {
	return `${n8nUrl}/form/${webhookId}`;
}

/** The URL of the one call that the editor listens for. */
export function testUrl(n8nUrl: string, path: string): string {
	return `${n8nUrl}/webhook-test/${path}`;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
