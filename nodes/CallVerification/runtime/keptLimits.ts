import type { LearningLimit } from './adaptiveLimit';
import type { Clock } from './clock';

/** What a service allows seldom changes, but how busy it is does. */
const KEPT_FOR_MS = 60_000;

interface KeptLimit {
	readonly limit: LearningLimit;
	readonly clock: Clock;
	readonly since: number;
}

/**
 * What one run has learned about the service, for the next: a list that comes in parts would begin carefully with each
 * of them, and meet the service's limit anew. Runs at the same time learn for themselves, the last to end is kept.
 */
export class KeptLimits {
	private readonly kept = new Map<string, KeptLimit>();

	take(account: string, clock: Clock): LearningLimit | undefined {
		this.forgetOld();
		const found = this.kept.get(account);
		if (found?.clock !== clock) return undefined;
		this.kept.delete(account);
		return found.limit;
	}

	keep(account: string, limit: LearningLimit, clock: Clock): void {
		this.forgetOld();
		// Whoever starts a list again after an outage wants to be heard at once.
		if (!limit.isCalm) return;
		limit.rest();
		this.kept.set(account, { limit, clock, since: clock.now() });
	}

	get size(): number {
		return this.kept.size;
	}

	private forgetOld(): void {
		for (const [account, { clock, since }] of this.kept) {
			if (clock.now() - since >= KEPT_FOR_MS) this.kept.delete(account);
		}
	}
}
