import { Agent, request } from 'undici';
import { contract } from '../played/contract';
import { findInPlan, portedTo, registryEntry } from '../service/numbers';
import type { InboundWait, ServiceState } from '../service/state';
import type { EmulatorSettings } from '../settings';

const EXCERPT_LENGTH = 500;

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

/** Plays the user who picks up the phone and dials the confirmation number. */
export class InboundCalls {
	readonly deliveries: WebhookDelivery[] = [];
	private readonly sender: WebhookSender;

	constructor(private readonly service: ServiceState) {
		this.sender = new WebhookSender(service.settings.webhookCertificate);
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
		this.deliveries.push(delivery);
		return delivery;
	}
}

/** Posts the inbound-call event. The contract shows no retries, so each call is one attempt. */
class WebhookSender {
	private readonly agent: Agent;

	constructor(ca: EmulatorSettings['webhookCertificate']) {
		// A new connection for each event: a busy receiver may close an idle one just as the next event is sent on it.
		this.agent = new Agent({ pipelining: 0, connect: { ca } });
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

export interface WebhookPayload {
	callId: string;
	callbackLink: string;
	clientNumber: string | number;
	confirmationNumber: string;
	isMnp: boolean;
	operatorName: string | null;
	operatorNameMnp: string | null;
	regionName: string;
}

type Spelling = Pick<EmulatorSettings, 'eventNumber' | 'eventOperators'>;

export function webhookPayload(
	wait: InboundWait,
	{ eventNumber, eventOperators }: Spelling = contract,
): WebhookPayload {
	const planned = findInPlan(wait.phone);
	const entry = planned && registryEntry(planned);
	const newOperator = planned && portedTo(planned);
	const isMnp = newOperator !== undefined;
	const unnamed = eventOperators === 'null' ? null : '';
	return {
		callId: String(wait.vendorId),
		callbackLink: wait.callbackUrl,
		clientNumber: spelled(wait.phone, eventNumber),
		confirmationNumber: wait.confirmationNumber,
		isMnp,
		// Odd, but in the contract: for a number that is not ported, even the registry's operator is empty.
		operatorName: isMnp ? (entry?.operator ?? unnamed) : unnamed,
		operatorNameMnp: newOperator ?? unnamed,
		regionName: entry?.region ?? '',
	};
}

function spelled(phone: string, as: EmulatorSettings['eventNumber']): string | number {
	switch (as) {
		case 'digits':
			return phone;
		case 'plus':
			return `+${phone}`;
		case 'number':
			return Number(phone);
		case 'eight':
			return phone.replace(/^7/, '8');
	}
}
