import type { MethodName } from '../nodes/CallVerification/contract/methods';
import { EmulatorClock, systemClock } from './clock';
import { addControlPage } from './people/controlPage';
import { addControlRoutes } from './people/controlRoutes';
import { InboundCalls, type WebhookDelivery } from './people/inboundCalls';
import type { Method, MethodOf } from './service/method';
import { getAccount, getBalance, getService, root } from './service/methods/account';
import { checkPhone } from './service/methods/checkPhone';
import { getInfo } from './service/methods/getInfo';
import { inboundCallWaiting } from './service/methods/inboundCallWaiting';
import { initCall, initRepeat } from './service/methods/initCall';
import {
	type ChargedCheck,
	type InboundWait,
	ServiceState,
	type VerificationCall,
} from './service/state';
import { type EmulatorOptions, PlayedService } from './played/services';
import { Exchange } from './wire/exchange';
import type { Faults } from './wire/faults';
import { buildHttpServer } from './wire/http';
import type { LedgerRequest } from './wire/request';

/** A handler for each method of the contract. */
const handlers: { [Name in MethodName]: MethodOf<Name> } = {
	initCall,
	getInfo,
	initRepeat,
	inboundCallWaiting,
	checkPhone,
	getAccount,
	getService,
	getBalance,
};

const methods = new Map<string, Method>([['/', root], ...Object.entries(handlers)]);

/** Everything that happened, for tests to read. */
export interface Ledger {
	readonly requests: readonly LedgerRequest[];
	readonly calls: readonly VerificationCall[];
	readonly checks: readonly ChargedCheck[];
	readonly inboundWaits: readonly Readonly<InboundWait>[];
	readonly deliveries: readonly WebhookDelivery[];
	readonly balance: number;
	readonly inFlight: number;
	readonly peakInFlight: number;
}

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

/** Puts the service, its wire and its people together. */
export async function startEmulator({
	clock: source = systemClock,
	...options
}: EmulatorOptions = {}): Promise<Emulator> {
	const closing = new AbortController();
	const clock = new EmulatorClock(source, closing.signal);
	const played = new PlayedService(options);
	const service = new ServiceState(played, clock);
	const exchange = new Exchange(service, methods);
	const inboundCalls = new InboundCalls(service);
	const { faults, requests } = exchange;
	const ledger = ledgerOf(service, exchange, inboundCalls);

	const app = buildHttpServer((received) => exchange.answer(received), closing.signal);
	addControlRoutes(app, { played, inboundCalls, faults, ledger });
	addControlPage(app, { played, service, inboundCalls, faults, requests });
	const { port, host, secretKey, serviceId } = service.settings;
	const url = await app.listen({ port, host });
	return {
		url,
		secretKey,
		serviceId,
		ledger,
		faults,
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

function ledgerOf(service: ServiceState, exchange: Exchange, inboundCalls: InboundCalls): Ledger {
	const { calls, checks, inboundWaits, wallet } = service;
	const { requests, traffic } = exchange;
	return {
		requests,
		calls: calls.all,
		checks,
		inboundWaits: inboundWaits.all,
		deliveries: inboundCalls.deliveries,
		get balance() {
			return wallet.balance;
		},
		get inFlight() {
			return traffic.inFlight;
		},
		get peakInFlight() {
			return traffic.peakInFlight;
		},
	};
}
