import type { InboundWait } from './inboundWaits';
import type { ServiceState } from './serviceState';
import { webhookPayload } from './webhookPayload';
import { WebhookSender, type WebhookDelivery } from './webhookSender';

/** Plays the user who picks up the phone and dials the confirmation number. */
export class InboundCalls {
	private readonly sender: WebhookSender;

	constructor(private readonly service: ServiceState) {
		this.sender = new WebhookSender(service.settings);
	}

	/** Returns undefined if no wait exists for a call from that phone: the service sends nothing. */
	async from(phone: string | number): Promise<WebhookDelivery | undefined> {
		const { inboundWaits, clock } = this.service;
		const wait = inboundWaits.newestFrom(String(phone), clock.now());
		return wait && this.arrive(wait);
	}

	/** Delivers even twice for the same identifier, because receivers have to cope with that. */
	async deliver(vendorId: number): Promise<WebhookDelivery> {
		const { inboundWaits, clock } = this.service;
		const wait = inboundWaits.find(vendorId);
		if (wait === undefined) throw new Error(`No inbound wait has the identifier ${vendorId}`);
		if (clock.now() >= wait.expiresAt) throw new Error(`The inbound wait ${vendorId} has expired`);
		return this.arrive(wait);
	}

	close(): Promise<void> {
		return this.sender.close();
	}

	private async arrive(wait: InboundWait): Promise<WebhookDelivery> {
		const { settings, clock } = this.service;
		const now = clock.now();
		wait.calledAt ??= now;
		const delivery = await this.sender.send(wait, webhookPayload(wait, settings), now);
		this.service.deliveries.push(delivery);
		return delivery;
	}
}
