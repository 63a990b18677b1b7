import type { LearningLimit } from './adaptiveLimit';
import type { Clock } from './clock';

/** What a service allows rarely changes, but how busy it is does. */
const KEPT_FOR_MS = 60_000;

interface KeptLimit {
	readonly limit: LearningLimit;
	readonly clock: Clock;
	readonly since: number;
}

/**
 * Passes what one run has learned about the service to the next. Otherwise, a list in several parts would start
 * carefully and hit the service's limit with each part. Simultaneous runs learn separately; the last to end is kept.
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
		// After an outage, a list should restart without delay.
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
