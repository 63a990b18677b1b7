import { seededRandom, type Random } from '../seededRandom';
import type { CallsPerNumber, Clock, EmulatorSettings } from '../settings';
import { InboundWaits, VerificationCalls } from './calls';
import { refuse } from './refusals';

const UNITS_PER_ROUBLE = 10_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A check that was charged. */
export interface ChargedCheck {
	readonly source: string;
	readonly valid: boolean;
	readonly cost: number;
	readonly at: number;
}

/** What the service remembers. */
export class ServiceState {
	readonly wallet: Wallet;
	readonly numberLimits = new NumberLimits();
	readonly calls = new VerificationCalls();
	readonly inboundWaits = new InboundWaits();
	readonly checks: ChargedCheck[] = [];
	readonly codeRandom: Random;
	readonly startedAt: number;
	lastRequestAt: number | undefined;
	private lastVendorId = 700_000_000;

	constructor(
		private readonly played: { readonly settings: EmulatorSettings },
		readonly clock: Clock,
	) {
		this.wallet = new Wallet(this.settings.startingBalance);
		this.codeRandom = seededRandom(this.settings.seed);
		this.startedAt = clock.now();
	}

	/** Those of the service that is played now. */
	get settings(): EmulatorSettings {
		return this.played.settings;
	}

	/** Outgoing and inbound verifications share one sequence, so no identifier means both. */
	nextVendorId(): number {
		return ++this.lastVendorId;
	}
}

/** The account's rouble wallet, in whole units, so that many small charges cause no rounding errors. */
class Wallet {
	private units: number;

	constructor(startingBalance: number) {
		this.units = Math.round(startingBalance * UNITS_PER_ROUBLE);
	}

	get balance(): number {
		return this.units / UNITS_PER_ROUBLE;
	}

	add(amount: number): void {
		this.units += Math.round(amount * UNITS_PER_ROUBLE);
	}

	/** Charges the amount and returns the balance before. */
	charge(amount: number): number {
		const before = this.balance;
		const cost = Math.round(amount * UNITS_PER_ROUBLE);
		if (cost > this.units) refuse('balance', `Not enough money: ${amount} needed, ${before} left`);
		this.units -= cost;
		return before;
	}
}

/** Remembers when each number was called, and applies the limits to the next call. */
class NumberLimits {
	private readonly calledAt = new Map<string, number[]>();
	private readonly blockedUntil = new Map<string, number>();

	check(phone: string, now: number, limits: CallsPerNumber): void {
		const times = this.calledAt.get(phone) ?? [];
		const within = (ms: number) => times.filter((at) => now - at < ms).length;
		if (within(MINUTE_MS) >= limits.perMinute || within(DAY_MS) >= limits.perDay) {
			this.blockedUntil.set(phone, now + limits.blockMs);
		}
		if (now < (this.blockedUntil.get(phone) ?? 0)) {
			refuse('calledTooOften', 'This number is blocked because it was called too often');
		}
		if (within(limits.pauseMs) > 0) {
			const seconds = limits.pauseMs / 1_000;
			refuse('calledTooSoon', `Wait ${seconds} seconds before calling the same number again`);
		}
	}

	record(phone: string, now: number): void {
		this.calledAt.set(phone, [...(this.calledAt.get(phone) ?? []), now]);
	}
}
