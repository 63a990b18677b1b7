import { seededRandom, type Random } from '../seededRandom';
import type { CallsPerNumber, Clock, EmulatorSettings } from '../settings';
import { ALWAYS_FAILS } from './numbers';
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
	lastAnswerAt: number | undefined;
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

/** Remembers when calls to each number were started, without their free repeats, and applies the limits to the next. */
class NumberLimits {
	private readonly calledAt = new Map<string, number[]>();
	private readonly blockedUntil = new Map<string, number>();

	/** Also blocks a number that was called too often. */
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

const FREE_REPEATS = 2;
export const REPEAT_WINDOW_MS = 5 * 60_000;

export type CallVariant = 'call' | 'voice' | 'mix';

/**
 * One verification call. The service would keep only a hash and a mask of the number; here it stays readable, because
 * tests assert on the ledger.
 */
export interface VerificationCall {
	readonly vendorId: number;
	readonly phone: string;
	readonly maskedPhone: string;
	readonly code: string;
	readonly client: string;
	readonly unique: string | undefined;
	readonly variant: CallVariant;
	readonly startedAt: number;
	readonly cost: number;
	readonly balanceBefore: number;
	/** A call to a test number: not billed. */
	readonly test: boolean;
	/** `initCall` itself already said that the person could not be reached. */
	readonly failedAtOnce: boolean;
	/** Set when this call is a free repeat of another. */
	readonly firstVendorId: number | undefined;
	readonly repeats: number[];
}

export class VerificationCalls {
	readonly all: VerificationCall[] = [];
	private readonly byVendorId = new Map<number, VerificationCall>();
	private readonly byUnique = new Map<string, VerificationCall>();

	add(call: VerificationCall): void {
		this.all.push(call);
		this.byVendorId.set(call.vendorId, call);
		// A repeat has the key of the first call but must not replace it.
		if (call.unique !== undefined && call.firstVendorId === undefined) {
			this.byUnique.set(call.unique, call);
		}
	}

	find(vendorId: number): VerificationCall | undefined {
		return this.byVendorId.get(vendorId);
	}

	findByUnique(unique: string): VerificationCall | undefined {
		return this.byUnique.get(unique);
	}
}

export function callStatus(call: VerificationCall, now: number, resultAfterMs: number): -1 | 0 | 1 {
	if (call.failedAtOnce) return 0;
	if (now - call.startedAt < resultAfterMs) return -1;
	return call.phone === ALWAYS_FAILS ? 0 : 1;
}

/** How many free repeats of an `initCall` may still be started. */
export function repeatsLeft(call: VerificationCall, now: number): number {
	if (call.firstVendorId !== undefined) return 0;
	if (now - call.startedAt > REPEAT_WINDOW_MS) return 0;
	return FREE_REPEATS - call.repeats.length;
}

export interface InboundWait {
	readonly vendorId: number;
	readonly phone: string;
	readonly maskedPhone: string;
	readonly confirmationNumber: string;
	readonly callbackUrl: string;
	readonly startedAt: number;
	readonly expiresAt: number;
	readonly cost: number;
	/** When the user's call first arrived. */
	calledAt: number | undefined;
}

/** The users who were given a number to call. */
export class InboundWaits {
	readonly all: InboundWait[] = [];

	nextConfirmationNumber(): string {
		return `7495000${String(this.all.length % 10_000).padStart(4, '0')}`;
	}

	add(wait: InboundWait): void {
		this.all.push(wait);
	}

	find(vendorId: number): InboundWait | undefined {
		return this.all.find((wait) => wait.vendorId === vendorId);
	}

	waiting(now: number): InboundWait[] {
		return this.all.filter((wait) => wait.calledAt === undefined && now < wait.expiresAt);
	}

	/** The newest wait for a call from that phone: it has the number on the user's screen. */
	newestFrom(phone: string, now: number): InboundWait | undefined {
		return this.waiting(now).findLast((wait) => wait.phone === phone);
	}
}
