import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { waitUntil } from '../process/waitUntil';
import { callWebhook } from '../rest/webhooks';

/** On a busy machine n8n needs a while for an execution. */
const PATIENCE = 60_000;
/** What Telegram allows in a message. */
const LONGEST_TEXT = 4_096;

const webhook = z.object({
	url: z.string().url(),
	allowed_updates: z.array(z.string()),
	secret_token: z.string().regex(/^[\w-]{1,256}$/),
});
const button = z.object({ text: z.string().min(1), request_contact: z.boolean().optional() });
const message = z.object({
	chat_id: z.coerce.number(),
	text: z.string().min(1).max(LONGEST_TEXT),
	parse_mode: z.literal('HTML'),
	reply_markup: z
		.object({
			keyboard: z.array(z.array(button)).optional(),
			remove_keyboard: z.boolean().optional(),
		})
		.optional(),
});

type Webhook = z.infer<typeof webhook>;
/** What a person sees: the text, and the buttons below it. */
export interface BotMessage {
	readonly text: string;
	readonly buttons: ReadonlyArray<z.infer<typeof button>>;
}

interface Contact {
	readonly phone_number: string;
	readonly first_name: string;
	/** Missing for somebody who has no account. */
	readonly user_id?: number;
}

class TooMany extends Error {}

/** Stands in for Telegram: n8n's nodes take its address from their credential. */
export class TelegramStandIn {
	/** Whether a message of the bot to this chat is refused, because it has sent too many. */
	refuses: (chat: number) => boolean = () => false;
	/** Every message of the bot, by chat. */
	private readonly messages = new Map<number, BotMessage[]>();
	private webhook: Webhook | undefined;
	private updates = 0;
	private readonly app: FastifyInstance;
	private url = '';

	constructor(private readonly token = '123456:token-of-telegram') {
		this.app = Fastify({ forceCloseConnections: true });
		this.app.post<{ Params: { bot: string; method: string } }>(
			'/:bot/:method',
			async ({ params, body }, reply) => {
				const isKnown = params.bot === `bot${this.token}`;
				const result = isKnown ? this.resultOf(params.method, body) : undefined;
				if (result !== undefined) return { ok: true, result };
				const [code, description] = isKnown ? [404, 'Not Found'] : [401, 'Unauthorized'];
				return await reply.code(code).send({ ok: false, error_code: code, description });
			},
		);
		this.app.setErrorHandler(async (error, _request, reply) => {
			if (error instanceof TooMany) {
				const description = 'Too Many Requests: retry after 5';
				const parameters = { retry_after: 5 };
				return await reply.code(429).send({ ok: false, error_code: 429, description, parameters });
			}
			const description = `Bad Request: ${String(error)}`;
			return await reply.code(400).send({ ok: false, error_code: 400, description });
		});
	}

	async start(): Promise<void> {
		this.url = await this.app.listen({ port: 0, host: '127.0.0.1' });
	}

	/** Data of n8n's credential. */
	get credential(): { readonly accessToken: string; readonly baseUrl: string } {
		return { accessToken: this.token, baseUrl: this.url };
	}

	/** Resolves when n8n has told where the bot's messages go, which it does after it has answered that a workflow is published. */
	async connected(): Promise<Webhook> {
		return await waitUntil(async () => this.webhook, {
			what: 'the bot has a webhook',
			limit: PATIENCE,
		});
	}

	/** Somebody in a chat of their own with the bot. */
	person(id: number): Person {
		return new Person(id, this);
	}

	messagesTo(chat: number): readonly BotMessage[] {
		return this.messages.get(chat) ?? [];
	}

	/** Posts an update to n8n, as Telegram does, with the secret that n8n has set. Returns the status of the answer. */
	async post(update: object, secret?: string): Promise<number> {
		const { url, secret_token } = await this.connected();
		const body = { update_id: ++this.updates, ...update };
		const headers = { 'x-telegram-bot-api-secret-token': secret ?? secret_token };
		return (await callWebhook(url, { body, headers })).status;
	}

	async close(): Promise<void> {
		await this.app.close();
	}

	private resultOf(method: string, body: unknown): unknown {
		switch (method) {
			case 'getMe':
				return { id: 123456, is_bot: true, first_name: 'Bot', username: 'example_bot' };
			case 'getWebhookInfo':
				return { url: this.webhook?.url ?? '' };
			case 'setWebhook':
				this.webhook = webhook.parse(body);
				return true;
			case 'deleteWebhook':
				this.webhook = undefined;
				return true;
			case 'sendMessage':
				return this.send(message.parse(body));
			default:
				return undefined;
		}
	}

	private send({ chat_id: chat, text, reply_markup: markup }: z.infer<typeof message>): unknown {
		if (this.refuses(chat)) throw new TooMany();
		const sent = { text, buttons: markup?.keyboard?.flat() ?? [] };
		this.messages.set(chat, [...this.messagesTo(chat), sent]);
		return { message_id: this.messagesTo(chat).length, chat: { id: chat }, text };
	}
}

class Person {
	private seen = 0;

	constructor(
		readonly id: number,
		private readonly telegram: TelegramStandIn,
	) {}

	/** Returns what the bot says to it. */
	async writes(text: string): Promise<BotMessage> {
		return await this.answerTo({ text });
	}

	async sharesContact(phone: string, userId: number | undefined = this.id): Promise<BotMessage> {
		return await this.answerTo({ contact: this.contact(phone, userId) });
	}

	/** Somebody of their address book who has no account. */
	async sharesStranger(phone: string): Promise<BotMessage> {
		return await this.answerTo({ contact: this.contact(phone) });
	}

	/** What the bot says next. */
	async isTold(): Promise<BotMessage> {
		return await waitUntil(
			async () => {
				const next = this.telegram.messagesTo(this.id)[this.seen];
				if (next) this.seen++;
				return next;
			},
			{ what: `the bot says something to ${this.id}`, limit: PATIENCE },
		);
	}

	/** Posts it without waiting for the bot. */
	async posts(content: object, chat = 'private'): Promise<number> {
		const from = { id: this.id, is_bot: false, first_name: 'Ann' };
		const inChat = { id: this.id, first_name: 'Ann', type: chat };
		const date = Math.floor(Date.now() / 1_000);
		return await this.telegram.post({
			message: { message_id: 1, from, chat: inChat, date, ...content },
		});
	}

	private async answerTo(content: object): Promise<BotMessage> {
		const status = await this.posts(content);
		if (status !== 200) throw new Error(`n8n answered the update with ${status}`);
		return await this.isTold();
	}

	private contact(phone: string, userId?: number): Contact {
		const account = userId === undefined ? {} : { user_id: userId };
		return { phone_number: phone, first_name: 'Ann', ...account };
	}
}
