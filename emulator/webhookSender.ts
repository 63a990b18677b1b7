import { Agent, request } from 'undici';
import type { InboundWait } from './inboundWaits';
import type { EmulatorSettings } from './settings';
import type { WebhookPayload } from './webhookPayload';

const EXCERPT_LENGTH = 500;

type WebhookSettings = Pick<EmulatorSettings, 'webhookCertificate'>;

export interface WebhookDelivery {
	readonly vendorId: number;
	readonly url: string;
	readonly at: number;
	readonly payload: WebhookPayload;
	/** The receiver's HTTP status; undefined if it could not be reached. */
	readonly status: number | undefined;
	readonly bodyExcerpt: string;
	readonly error: string | undefined;
}

/** Posts the inbound-call event. The contract shows no retries, so each call is one attempt. */
export class WebhookSender {
	private readonly agent: Agent;

	constructor({ webhookCertificate: ca }: WebhookSettings) {
		this.agent = new Agent({ connect: { ca } });
	}

	async send(wait: InboundWait, payload: WebhookPayload, at: number): Promise<WebhookDelivery> {
		const attempt = { vendorId: wait.vendorId, url: wait.callbackUrl, at, payload };
		try {
			const response = await request(wait.callbackUrl, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(payload),
				dispatcher: this.agent,
			});
			const body = await response.body.text();
			const bodyExcerpt = body.slice(0, EXCERPT_LENGTH);
			return { ...attempt, status: response.statusCode, bodyExcerpt, error: undefined };
		} catch (error) {
			const reason = error instanceof Error ? error.message || error.name : String(error);
			return { ...attempt, status: undefined, bodyExcerpt: '', error: reason };
		}
	}

	close(): Promise<void> {
		return this.agent.destroy();
	}
}
