import type { ServiceAccess } from './address';
import type { Failure } from './errors';

/** One lost connection is no reason to leave an address that has responded before. */
const FAILURES_TO_LEAVE = 3;

/** Which of the service's addresses a run uses: the one that has worked so far. */
export class Route {
	private current = 0;
	private readonly seen: Array<{ hasAnswered: boolean; failuresInARow: number }>;

	constructor(private readonly baseUrls: ServiceAccess['baseUrls']) {
		this.seen = baseUrls.map(() => ({ hasAnswered: false, failuresInARow: 0 }));
	}

	/** The address to try first. */
	get preferred(): number {
		return this.current;
	}

	/** Whether the current address is known to work. A single address needs no proof. */
	get isProven(): boolean {
		return this.baseUrls.length === 1 || this.hasAnswered(this.current);
	}

	urlOf(address: number): string {
		return this.baseUrls[address] ?? this.baseUrls[0];
	}

	hasAnswered(address: number): boolean {
		return this.seen[address]?.hasAnswered ?? false;
	}

	answered(address: number): void {
		this.seen[address] = { hasAnswered: true, failuresInARow: 0 };
	}

	failed(address: number, failure: Failure): void {
		const other = this.around(address, failure);
		const seen = this.seen[address];
		if (other === undefined || seen === undefined) return;
		seen.failuresInARow++;
		const isLeft = !seen.hasAnswered || seen.failuresInARow >= FAILURES_TO_LEAVE;
		if (isLeft && this.current === address) this.current = other;
	}

	/**
	 * The other address, if it may be tried after this failure. After a failed handshake it must be encrypted, or an
	 * attacker with a fake certificate would get the key.
	 */
	around(address: number, failure: Failure): number | undefined {
		const other = 1 - address;
		const url = this.baseUrls[other];
		if (url === undefined) return undefined;
		if (failure === 'insecure') return /^https:/i.test(url) ? other : undefined;
		return failure === 'unreachable' || failure === 'unanswered' ? other : undefined;
	}
}
