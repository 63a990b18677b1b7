import { LearningLimit } from './adaptiveLimit';
import type { Clock } from './clock';

/** The user's own limit of requests in flight. What the service allows per time is still learned. */
export function fixedLimit(clock: Clock, width: number): LearningLimit {
	return new LearningLimit(clock, { width, answered() {}, narrow() {} });
}
