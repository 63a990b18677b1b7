import type { INodeParameters } from 'n8n-workflow';
import { z } from 'zod';
import type { Post } from '../rest/webhooks';
import {
	callWebhook,
	type Credential,
	type N8nClient,
	productionUrl,
	waitUntil,
	type WebhookAnswer,
	withParameters,
	type WorkflowFile,
} from '..';
import { publishExample } from './examples';
import { createSiteCredential, siteHeaders } from './siteRequests';

const started = z.object({ verification_token: z.string(), exists: z.boolean() });
const numberToCall = z.object({
	verification_token: z.string(),
	show: z.literal('number'),
	number: z.string(),
	tel: z.string(),
	status_url: z.string(),
	wait_seconds: z.number(),
});
export type NumberToCall = z.output<typeof numberToCall>;

/** As long as the servers of the documentation wait. Of several who ask in the same moment, n8n 1.x may leave some without a response. */
const STATUS_LIMIT = 40_000;

interface Surroundings {
	readonly client: N8nClient;
	readonly credential: Credential;
	/** The base URLs for webhooks: of n8n, or of its webhook processes. */
	readonly urls: readonly string[];
	/** A different one for each test file, because they share an n8n. */
	readonly prefix: string;
	readonly change?: (file: WorkflowFile) => WorkflowFile;
}

/** The example login-api, published, as its clients see it. */
export class LoginApi {
	private constructor(
		readonly workflowId: string,
		private readonly urls: readonly string[],
		private readonly prefix: string,
	) {}

	static async publish({
		client,
		credential,
		urls,
		prefix,
		change = (file) => file,
	}: Surroundings) {
		const chosen = await createSiteCredential(client, `Site of ${prefix}`);
		const n8n = { client, credential };
		const { id } = await publishExample('login-api', prefix, n8n, chosen, (file) =>
			change(withPatience(file)),
		);
		return new LoginApi(id, urls, prefix);
	}

	/** The same workflow at n8n's URLs after a restart. */
	at(urls: readonly string[]): LoginApi {
		return new LoginApi(this.workflowId, urls, this.prefix);
	}

	/** What the servers of the documentation call API. */
	get address(): string {
		return productionUrl(this.urls[0] ?? '', `${this.prefix}/login`);
	}

	/** Spread over the webhook processes by `position`. */
	post(webhook: 'start' | 'check', body: object, position = 0): Post {
		const url = this.urls[position % this.urls.length] ?? '';
		return {
			url: productionUrl(url, `${this.prefix}/login/${webhook}`),
			body: JSON.stringify(withVisitor(webhook, body)),
			// Signed when it is sent, because a long list of posts outlives a token.
			get headers() {
				return siteHeaders();
			},
		};
	}

	async send(
		webhook: 'start' | 'check',
		body: object | string,
		headers: Readonly<Record<string, string>> = siteHeaders(),
	): Promise<WebhookAnswer> {
		return await callWebhook(this.post(webhook, {}).url, {
			body: typeof body === 'string' ? body : withVisitor(webhook, body),
			headers: { 'content-type': 'application/json', ...headers },
		});
	}

	async start(phone: string, way: 'call' | 'voice' = 'call'): Promise<string> {
		return started.parse(await this.startAnswer({ phone, way })).verification_token;
	}

	/** The number that the person can call instead. */
	async numberToCall(phone: string): Promise<NumberToCall> {
		return numberToCall.parse(await this.startAnswer({ phone, way: 'inbound' }));
	}

	/** What the site learns about that call; undefined if n8n does not respond. */
	async status(
		{ status_url, verification_token }: Pick<NumberToCall, 'status_url' | 'verification_token'>,
		headers: Readonly<Record<string, string>> = siteHeaders(),
	): Promise<WebhookAnswer | undefined> {
		const request = { body: { verification_token }, headers, limit: STATUS_LIMIT };
		return await callWebhook(status_url, request).catch(() => undefined);
	}

	/** Asks for the status as a page does, until the person is verified. */
	async verifiedBy(shown: NumberToCall): Promise<unknown> {
		const answer = async () => {
			const given = await this.status(shown);
			return given?.status === 200 ? given.json : undefined;
		};
		return await waitUntil(answer, { what: 'the call is known' });
	}

	private async startAnswer(body: object): Promise<unknown> {
		const { status, json, text } = await this.send('start', body);
		if (status !== 200) throw new Error(`The start webhook responded with ${status} ${text}`);
		return json;
	}

	async check(token: string, code: string): Promise<WebhookAnswer> {
		return await this.send('check', { verification_token: token, code });
	}
}

/** Each number is requested by somebody else, unless the body says who. */
function withVisitor(webhook: 'start' | 'check', body: object): object {
	if (webhook === 'check') return body;
	return { visitor: 'phone' in body ? `owner of ${String(body.phone)}` : 'somebody', ...body };
}

/**
 * The example gives a request ten seconds. Here no request is sent again because the machine stood still for so long:
 * the second one would find the call of the first.
 */
function withPatience(file: WorkflowFile): WorkflowFile {
	const requestOptions = { timeout: 300, giveUpAfter: 600 };
	const nodes = file.nodes.map((node) =>
		node.parameters?.requestOptions
			? { ...node, parameters: { ...node.parameters, requestOptions } }
			: node,
	);
	return { ...file, nodes };
}

/** With other options in the node that calls, e.g. for visitors who all have the same address. */
export const withCallOptions =
	(values: INodeParameters) =>
	(file: WorkflowFile): WorkflowFile => {
		const options = file.nodes.find(({ name }) => name === 'Call')?.parameters?.options;
		return withParameters(file, 'Call', {
			options: { ...(Object(options) as INodeParameters), ...values },
		});
	};

/** Returns why a code was refused, which the example does not reveal, so that compared codes can be counted. */
export function withReasons(file: WorkflowFile): WorkflowFile {
	return withParameters(file, 'Not Verified', {
		responseBody: '={{ { reason: $json.reason ?? $json.error } }}',
	});
}

/** What a start answers for the check of its code. */
export function tokenIn(text: string): string {
	return started.parse(JSON.parse(text)).verification_token;
}

/** How often each reason occurred; `verified` for an accepted code. */
export function reasonsOf(answers: ReadonlyArray<{ text: string }>): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { text } of answers) {
		const { reason = 'verified' } = answer.parse(JSON.parse(text));
		counts[reason] = (counts[reason] ?? 0) + 1;
	}
	return counts;
}

const answer = z.object({ reason: z.string().optional() });

/** So long that a phone rings once however long a test takes. */
export const LONG_COOLDOWN_MINUTES = 60;

export function withLongCooldown(file: WorkflowFile): WorkflowFile {
	const nodes = file.nodes.map((node) => {
		const options = Object(node.parameters?.options) as INodeParameters;
		if (options.cooldown === undefined) return node;
		return {
			...node,
			parameters: { ...node.parameters, options: { ...options, cooldown: LONG_COOLDOWN_MINUTES } },
		};
	});
	return { ...file, nodes };
}
