import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import type { Emulator } from '../../emulator/emulator';
import { BASE_URL, credential, type RunContext, runNode } from '../../harness/engine/n8nCore';
import { responseInItsNames } from '../../harness/emulatedService';

/** A request as it went over the wire. */
export interface SentRequest {
	verb: string;
	path: string;
	query: Record<string, string>;
	/** The raw body text: only here is it visible whether a number was sent as a number. */
	body: string;
	headers: Record<string, string>;
	/** The body's fields, if it is JSON. */
	fields: Record<string, unknown>;
}

export interface Reply {
	status?: number;
	body: unknown;
	headers?: Record<string, string>;
}

/**
 * Stands in for the service: answers requests with the replies in order (repeating the last one), in its names, and
 * records what was sent.
 */
export function wire(...replies: Reply[]): SentRequest[] {
	return wireAt(BASE_URL, ...replies);
}

export function wireAt(origin: string, ...replies: Reply[]): SentRequest[] {
	const sent: SentRequest[] = [];
	const answer = function (
		this: nock.ReplyFnContext,
		uri: string,
		body: nock.Body,
	): nock.ReplyFnResult {
		const url = new URL(uri, origin);
		sent.push({
			verb: this.req.method,
			path: url.pathname,
			query: Object.fromEntries(url.searchParams),
			body: typeof body === 'string' ? body : JSON.stringify(body),
			fields: typeof body === 'string' ? {} : { ...body },
			headers: Object.fromEntries(
				Object.entries(this.req.headers).map(([name, value]) => [
					name.toLowerCase(),
					String(value),
				]),
			),
		});
		const reply = replies[Math.min(sent.length, replies.length) - 1] ?? { body: {} };
		const { body: content } = reply;
		const text =
			typeof content === 'string' ? content : JSON.stringify(responseInItsNames(content));
		return [reply.status ?? 200, text, { 'content-type': 'application/json', ...reply.headers }];
	};
	nock(origin).persist().get(/.*/).reply(answer).post(/.*/).reply(answer);
	return sent;
}

/** A credential for the emulated service. */
export const credentialFor = (
	{ url: baseUrl, secretKey, serviceId }: Emulator,
	authScheme = 'header',
) => credential({ baseUrl, secretKey, serviceId, authScheme });

/** Runs the node on a service that gives these replies, and no longer those of an earlier run. */
export async function runOn(
	replies: Reply | readonly Reply[],
	parameters: INodeParameters,
	more: Partial<RunContext> = {},
) {
	nock.cleanAll();
	const sent = wire(...[replies].flat());
	const result = await runNode({ parameters, ...more });
	const outputs = result.success.map(({ json }) => json);
	return {
		...result,
		sent,
		phones: sent.map(({ fields }) => fields.phone),
		/** The items of the success output, and the fields of the first. */
		outputs,
		json: outputs[0] ?? {},
		failures: result.failed.map(({ json }) => json),
	};
}

/** Stops the execution, as the editor does, when that many requests were sent. */
export function cancelAfter(
	count: number,
	sent: SentRequest[],
	execution: { cancel: () => void },
): void {
	const push = sent.push.bind(sent);
	sent.push = (...requests) => {
		const length = push(...requests);
		if (length === count) execution.cancel();
		return length;
	};
}

const OWN_LINK =
	/ <a href="https:\/\/github\.com\/[\w./-]+\/docs\/errors\.md(#[\w-]+)?" target="_blank">More about this error<\/a>$/;

/** What an error says what to do, without the link to its explanation at the end. */
export const adviceOf = (error?: { description?: string | null }) =>
	(error?.description ?? '').replace(OWN_LINK, '');

/** Where that link leads to: an anchor, or an empty text for the whole page; undefined without a link. */
export function explanationOf(error?: { description?: string | null }): string | undefined {
	const link = OWN_LINK.exec(error?.description ?? '');
	return link === null ? undefined : (link[1] ?? '');
}
