import { fetch } from 'undici';
import { z } from 'zod';
import { freshConnections } from './freshConnections';

const formTrigger = z.object({
	webhookId: z.string(),
	parameters: z.object({ options: z.object({ path: z.string().optional() }).optional() }),
});

export interface WebhookAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
	/** The text parsed as JSON, or undefined if it is not JSON. */
	readonly json: unknown;
}

interface WebhookCall {
	readonly method?: string;
	/** An object is sent as JSON, a string as it is. */
	readonly body?: object | string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly limit?: number;
}

/** Calls a webhook URL as an outside system would. */
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

/** The production URL of a published workflow's webhook. */
export function productionUrl(n8nUrl: string, path: string): string {
	return `${n8nUrl}/webhook/${path}`;
}

/** The production URL of a published workflow's form. */
export function formUrl(
	n8nUrl: string,
	{ nodes }: { readonly nodes: ReadonlyArray<{ readonly type: string }> },
): string {
	const { webhookId, parameters } = formTrigger.parse(
		nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger'),
	);
	return `${n8nUrl}/form/${parameters.options?.path ?? webhookId}`;
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
