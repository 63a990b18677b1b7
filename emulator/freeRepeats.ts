import type { VerificationCall } from './verificationCalls';

const FREE_REPEATS = 2;
export const REPEAT_WINDOW_MS = 5 * 60_000;

/** How many free repeats of an `initCall` may still be started. */
export function repeatsLeft(call: VerificationCall, now: number): number {
	if (call.firstVendorId !== undefined) return 0;
	if (now - call.startedAt > REPEAT_WINDOW_MS) return 0;
	return FREE_REPEATS - call.repeats.length;
}
