import { ALWAYS_FAILS } from './numbers';

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
