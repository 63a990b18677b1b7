import type { EmulatorBehaviour } from './emulatorProcess';

/** What a client would have to know to be as fast as possible. */
export interface KnownLimits {
	connections: number;
	perSecond?: number;
}

export interface BenchService {
	name: 'unlimited' | 'limited' | 'slowing';
	title: string;
	behaviour: EmulatorBehaviour;
	limits: KnownLimits;
	/** How many numbers are checked. */
	count: number;
	/** How many of them if they are checked one by one; the time is scaled up. */
	countOneByOne: number;
	rounds: number;
}

export const LATENCY_MS = 80;

export const UNLIMITED: BenchService = {
	name: 'unlimited',
	title: 'No limit, 80 ms per answer',
	behaviour: { latencyMs: LATENCY_MS },
	limits: { connections: 64 },
	count: 1000,
	countOneByOne: 100,
	rounds: 3,
};

export const LIMITED: BenchService = {
	name: 'limited',
	title: '100 requests per second, 429 above',
	behaviour: { latencyMs: LATENCY_MS, requestsPerSecondLimit: 100 },
	limits: { connections: 100, perSecond: 100 },
	count: 600,
	countOneByOne: 60,
	rounds: 2,
};

const SLOWING: BenchService = {
	name: 'slowing',
	title: 'Slower with every request beyond 32 at once',
	behaviour: { latencyMs: LATENCY_MS, slowdownAbove: 32, slowdownMs: 10 },
	limits: { connections: 32 },
	count: 1000,
	countOneByOne: 100,
	rounds: 3,
};

export const SERVICES = [UNLIMITED, LIMITED, SLOWING];
