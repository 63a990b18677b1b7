import type { EmulatorClock } from './clock';
import { Faults } from './faults';
import { InboundWaits } from './inboundWaits';
import type { ChargedCheck, Ledger, LedgerRequest, Outcome } from './ledger';
import { seededRandom, type Random } from './seededRandom';
import { NumberLimits } from './numberLimits';
import { completeSettings, type EmulatorSettings, type ServiceName } from './settings';
import { Traffic } from './traffic';
import { VendorIds } from './vendorIds';
import { VerificationCalls } from './verificationCalls';
import { Wallet } from './wallet';
import type { WebhookDelivery } from './webhookSender';

/** A ledger line that still lacks its outcome. */
export type OpenLedgerRequest = Omit<LedgerRequest, 'outcome'> & { outcome: Outcome };

/** The state of one running emulator. */
export class ServiceState {
	settings: EmulatorSettings;
	readonly wallet: Wallet;
	readonly traffic = new Traffic();
	readonly numberLimits = new NumberLimits();
	readonly faults: Faults;
	/** Separate from the faults' random numbers, so that arming a fault changes no code. */
	readonly codeRandom: Random;
	readonly vendorIds = new VendorIds();
	readonly calls = new VerificationCalls();
	readonly inboundWaits = new InboundWaits();
	readonly requests: OpenLedgerRequest[] = [];
	readonly checks: ChargedCheck[] = [];
	readonly deliveries: WebhookDelivery[] = [];
	readonly startedAt: number;
	lastRequestAt: number | undefined;

	constructor(
		private readonly given: Partial<EmulatorSettings>,
		readonly clock: EmulatorClock,
	) {
		const settings = completeSettings(given);
		this.settings = settings;
		this.wallet = new Wallet(settings.startingBalance);
		this.faults = new Faults(settings.faults, settings.seed);
		this.codeRandom = seededRandom(settings.seed);
		this.startedAt = clock.now();
	}

	/** Plays another service from now on; what has happened and what was set stays. */
	playAs(as: ServiceName): void {
		this.settings = completeSettings({ ...this.given, as });
	}

	ledger(): Ledger {
		const { requests, calls, checks, inboundWaits, deliveries, wallet, traffic } = this;
		return {
			requests,
			calls: calls.all,
			checks,
			inboundWaits: inboundWaits.all,
			deliveries,
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
}
