import { sleep } from 'n8n-workflow';

import type { Clock } from '../pacing/clock';

export const systemClock: Clock = {
	now: () => performance.now(),
	wallTime: () => Date.now(),
	sleep,
	// Accepts only whole milliseconds.
	timer: (milliseconds) => AbortSignal.timeout(Math.ceil(milliseconds)),
};
