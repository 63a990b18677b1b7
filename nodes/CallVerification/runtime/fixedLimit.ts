import { LearningLimit } from './adaptiveLimit';
import type { Clock } from './clock';

/** The user's own number of requests at once, and what the service allows in a time: that is learned all the same. */
export function fixedLimit(clock: Clock, width: number): LearningLimit {
	return new LearningLimit(clock, { width, answered() {}, narrow() {} });
}
