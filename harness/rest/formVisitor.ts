import { File } from 'node:buffer';
import { FormData, fetch } from 'undici';
import { z } from 'zod';
import { waitUntil } from '../process/waitUntil';
import { freshConnections } from './freshConnections';

/** After submitting a page, n8n may still show it for a moment; later, the next one is just like it. */
const STALE_FOR = 1_000;
const PATIENCE = 20_000;

const started = z.object({ formWaitingUrl: z.string() });

/** A list fills in one field several times, which no browser does. */
export type FieldValue = string | File | readonly string[];

export interface FormPage {
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
		const answer = await post(formUrl, values, headers);
		return new FormVisitor(new URL(started.parse(JSON.parse(answer)).formWaitingUrl));
	}

	/** Submits the page that is shown now. */
	async submit(...values: FieldValue[]): Promise<void> {
		await post(this.page.href, values);
	}

	/** Waits for the next page. An ending page lets the execution continue as soon as it is shown. */
	async nextPage(limit = 30_000): Promise<FormPage> {
		let seen = 'nothing';
		const before = this.shown;
		const freshFrom = Date.now() + STALE_FOR;
		return await waitUntil(
			async () => {
				seen = await this.status();
				if (seen !== 'form-waiting') return undefined;
				const html = await this.html();
				const page = { title: textOf(html, 'h1'), text: textOf(html, 'p'), html };
				const isStale = page.title === before?.title && page.text === before.text;
				if (isStale && Date.now() < freshFrom) return undefined;
				if (!html.includes("id='n8n-form'")) await post(this.page.href, []);
				this.shown = page;
				return page;
			},
			{ what: 'the form has a next page', limit, longestPause: 200, seen: () => seen },
		);
	}

	private async html(): Promise<string> {
		const response = await fetch(this.page, {
			signal: AbortSignal.timeout(PATIENCE),
			dispatcher: freshConnections,
		});
		return await response.text();
	}

	/** The status of the execution as n8n reports it to the page. */
	async status(): Promise<string> {
		const url = new URL(this.page);
		url.pathname += '/n8n-execution-status';
		return (await (await fetch(url, { dispatcher: freshConnections })).text()).trim();
	}
}

async function post(
	url: string,
	values: readonly FieldValue[],
	headers: Readonly<Record<string, string>> = {},
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
		signal: AbortSignal.timeout(PATIENCE),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`The form was answered with ${response.status}: ${text}`);
	return text;
}

function textOf(html: string, tag: string): string {
	const element = new RegExp(`<${tag}(?:\\s[^>]*)?>(.*?)</${tag}>`, 's').exec(html)?.[1] ?? '';
	return element.replace(/(<[^>]*>|\s)+/g, ' ').trim();
}
