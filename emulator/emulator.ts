import { EmulatorClock, systemClock } from './clock';
import type { Faults } from './faults';
import { buildHttpServer } from './httpServer';
import { InboundCalls } from './inboundCalls';
import type { Ledger } from './ledger';
import { ServiceState } from './serviceState';
import type { EmulatorSettings } from './settings';
import type { WebhookDelivery } from './webhookSender';

export interface Emulator {
	readonly url: string;
	readonly secretKey: string;
	readonly serviceId: string;
	readonly ledger: Ledger;
	readonly faults: Faults;
	/** Sets the emulator's clock to this time, in milliseconds; it continues from there. */
	setNow(ms: number): void;
	/** The owner of the account pays this amount in. */
	topUp(amount: number): void;
	/** The user calls; undefined if the service is not waiting for a call from that phone. */
	callFrom(phone: string | number): Promise<WebhookDelivery | undefined>;
	deliverInboundCall(vendorId: number): Promise<WebhookDelivery>;
	close(): Promise<void>;
}

export async function startEmulator(settings: Partial<EmulatorSettings> = {}): Promise<Emulator> {
	const closing = new AbortController();
	const clock = new EmulatorClock(settings.clock ?? systemClock, closing.signal);
	const service = new ServiceState(settings, clock);
	const { port, host, secretKey, serviceId } = service.settings;
	const inboundCalls = new InboundCalls(service);
	const app = buildHttpServer(service, inboundCalls, closing.signal);
	const url = await app.listen({ port, host });
	return {
		url,
		secretKey,
		serviceId,
		ledger: service.ledger(),
		faults: service.faults,
		setNow: (ms) => clock.setNow(ms),
		topUp: (amount) => service.wallet.add(amount),
		callFrom: (phone) => inboundCalls.from(phone),
		deliverInboundCall: (vendorId) => inboundCalls.deliver(vendorId),
		close: async () => {
			closing.abort();
			await Promise.all([inboundCalls.close(), app.close()]);
		},
	};
}
