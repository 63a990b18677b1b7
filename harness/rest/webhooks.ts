import { File } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import { fetch, FormData, request } from 'undici';
import { z } from 'zod';
import { waitUntil } from '../process/waitUntil';
import { freshConnections } from './restSession';

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

export interface Post {
	readonly url: string;
	readonly body: string;
	readonly headers?: Readonly<Record<string, string>>;
}

/** What the sender of an event gets. */
export interface Answer {
	/** Undefined if the connection broke or there was no response in time. */
	readonly status: number | undefined;
	readonly text: string;
	readonly milliseconds: number;
}

const ANSWER_LIMIT = 60_000;

/** Posts each once, at most `atOnce` at a time, and returns the responses in the same order. */
export async function postAll(posts: readonly Post[], atOnce: number): Promise<Answer[]> {
	const answers: Answer[] = [];
	let next = 0;
	const sender = async () => {
		for (let index = next++; index < posts.length; index = next++) {
			const post = posts[index];
			if (post) answers[index] = await send(post);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, sender));
	return answers;
}

/** Posts at a steady pace, without waiting for responses, and returns them in the same order. */
export async function postSteadily(posts: readonly Post[], perSecond: number): Promise<Answer[]> {
	const started = Date.now();
	return await Promise.all(
		posts.map(async (post, index) => {
			const due = started + (index * 1_000) / perSecond;
			await pause(Math.max(0, due - Date.now()));
			return await send(post);
		}),
	);
}

async function send({ url, body, headers }: Post): Promise<Answer> {
	const started = performance.now();
	const milliseconds = () => performance.now() - started;
	try {
		const response = await request(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body,
			dispatcher: freshConnections,
			headersTimeout: ANSWER_LIMIT,
			bodyTimeout: ANSWER_LIMIT,
		});
		const text = await response.body.text();
		return { status: response.statusCode, text, milliseconds: milliseconds() };
	} catch (error) {
		return { status: undefined, text: String(error), milliseconds: milliseconds() };
	}
}

/** Enough for many visitors at once on a busy machine. */
const PATIENCE = 120_000;
/** n8n never answers a page that is requested while its execution runs: then it is requested again. */
const PAGE_LIMIT = 5_000;

const started = z.object({ formWaitingUrl: z.string() });

/** A list fills in one field several times, which no browser does. */
export type FieldValue = string | File | readonly string[];

interface FormPage {
	readonly title: string;
	readonly text: string;
	readonly html: string;
}

/** Fills in n8n's form pages as a browser does, without one. */
export class FormVisitor {
	private shown: FormPage | undefined;

	private constructor(
		/** Where each page after the first is shown. */
		readonly page: URL,
	) {}

	/** Submits the first page, with the values of its fields from top to bottom. */
	static async start(formUrl: string, ...values: FieldValue[]): Promise<FormVisitor> {
		return await FormVisitor.startWith({}, formUrl, ...values);
	}

	/** As `start`, with headers that a reverse proxy or a script adds. */
	static async startWith(
		headers: Readonly<Record<string, string>>,
		formUrl: string,
		...values: FieldValue[]
	): Promise<FormVisitor> {
		const answer = await post(formUrl, values, { headers });
		return new FormVisitor(new URL(started.parse(JSON.parse(answer)).formWaitingUrl));
	}

	/** Submits the page that is shown now. */
	async submit(...values: FieldValue[]): Promise<void> {
		await post(this.page.href, values);
	}

	/** The same for a page that may be no longer there: if its execution runs by then, n8n never answers. */
	async submitWithin(limit: number, ...values: FieldValue[]): Promise<void> {
		await post(this.page.href, values, { limit });
	}

	/**
	 * Waits for a page that says something else than the last one, which n8n may still show after it was submitted. An
	 * ending page lets the execution continue as soon as it is shown.
	 */
	async nextPage(): Promise<FormPage> {
		let seen = 'nothing';
		const page = await waitUntil(
			async () => {
				const found = await this.pageNow().catch(String);
				seen = typeof found === 'string' ? found : contentOf(found);
				return typeof found === 'string' || this.isShown(found) ? undefined : found;
			},
			{ what: 'the form has another page', longestPause: 200, seen: () => seen },
		);
		this.shown = page;
		if (!page.html.includes("id='n8n-form'")) await post(this.page.href, []);
		return page;
	}

	/** The status of the execution as n8n reports it to the page. */
	async status(limit = PATIENCE): Promise<string> {
		const url = new URL(this.page);
		url.pathname += '/n8n-execution-status';
		return (await get(url, limit)).trim();
	}

	/** Instead of a page, the status of an execution that shows none. */
	private async pageNow(): Promise<FormPage | string> {
		const status = await this.status(PAGE_LIMIT);
		if (status !== 'form-waiting') return status;
		const html = await get(this.page, PAGE_LIMIT);
		return { title: textOf(html, 'h1'), text: textOf(html, 'p'), html };
	}

	private isShown(page: FormPage): boolean {
		return this.shown !== undefined && contentOf(this.shown) === contentOf(page);
	}
}

/** What a page says, but for “0:05 minutes ago”, which is another each time. */
function contentOf({ title, text }: FormPage): string {
	return `${title}: ${text}`.replaceAll(/\d+:\d\d/g, '');
}

async function get(url: URL, limit: number): Promise<string> {
	const response = await fetch(url, {
		signal: AbortSignal.timeout(limit),
		dispatcher: freshConnections,
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`The page was answered with ${response.status}: ${text}`);
	return text;
}

interface Submission {
	readonly headers?: Readonly<Record<string, string>>;
	readonly limit?: number;
}

async function post(
	url: string,
	values: readonly FieldValue[],
	{ headers = {}, limit = PATIENCE }: Submission = {},
): Promise<string> {
	const body = new FormData();
	values.forEach((value, position) => {
		for (const one of [value].flat()) body.append(`field-${position}`, one);
	});
	const response = await fetch(url, {
		dispatcher: freshConnections,
		method: 'POST',
		headers,
		body,
		signal: AbortSignal.timeout(limit),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`The form was answered with ${response.status}: ${text}`);
	return text;
}

function textOf(html: string, tag: string): string {
	const element = new RegExp(`<${tag}(?:\\s[^>]*)?>(.*?)</${tag}>`, 's').exec(html)?.[1] ?? '';
	return element.replace(/(<[^>]*>|\s)+/g, ' ').trim();
}
