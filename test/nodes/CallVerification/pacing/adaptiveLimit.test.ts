import fc from 'fast-check';

import {
	adaptiveLimit,
	fixedWidth,
	type Outcome,
} from '../../../../nodes/CallVerification/pacing/limit';
import {
	type Admission,
	atMostInFlight,
	fixedWindow,
	type Quota,
	runList,
	seededRandom,
	type ServiceOptions,
	slidingWindow,
	tokenBucket,
} from '../../../simulatedService';
import { VirtualClock } from '../../../virtualClock';

const MINUTE = 60_000;

const automatic = async (count: number, options?: ServiceOptions) =>
	await runList(count, (clock) => adaptiveLimit(clock), options);

const fixed = async (count: number, width: number, options?: ServiceOptions) =>
	await runList(count, (clock) => fixedWidth(clock, width), options);

const bestFixed = async (count: number, options?: ServiceOptions) => {
	const seconds: number[] = [];
	for (const width of [8, 16, 24, 32, 40, 48, 56, 64]) {
		seconds.push((await fixed(count, width, options)).seconds);
	}
	return Math.min(...seconds);
};

/** Refusals come at once or after a round trip, with or without Retry-After: all four must work. */
const manners = [
	{ refusalMs: 0, sendsRetryAfter: false },
	{ refusalMs: 0, sendsRetryAfter: true },
	{ refusalMs: 80, sendsRetryAfter: false },
	{ refusalMs: 80, sendsRetryAfter: true },
];

async function worst(count: number, admission: () => Admission, more: ServiceOptions = {}) {
	const runs = [];
	for (const manner of manners) {
		runs.push(await automatic(count, { ...more, ...manner, admission: admission() }));
	}
	return {
		seconds: Math.max(...runs.map((run) => run.seconds)),
		wasted: Math.max(...runs.map((run) => run.wasted)),
		lost: Math.max(...runs.map((run) => run.lost)),
		mostInFlight: Math.max(...runs.map((run) => run.mostInFlight)),
	};
}

describe('adaptiveLimit on a service without limits', () => {
	it('is ten times as fast as one by one, and nearly as fast as the best fixed number', async () => {
		const { seconds, mostInFlight, lost } = await automatic(1000);
		expect((await fixed(1000, 1)).seconds / seconds).toBeGreaterThan(10);
		expect((await bestFixed(1000)) / seconds).toBeGreaterThan(0.85);
		expect(mostInFlight).toBe(64);
		expect(lost).toBe(0);
	});

	it('is nearly as fast with latencies that vary', async () => {
		const varying = () => {
			const random = seededRandom(7);
			return { latencyMs: () => 40 + 80 * random() };
		};
		const { seconds } = await automatic(1000, varying());
		expect((await fixed(1000, 64, varying())).seconds / seconds).toBeGreaterThan(0.85);
	});
});

describe('adaptiveLimit on a service that slows down', () => {
	it.each([
		['in proportion', (inFlight: number) => 80 * Math.max(1, inFlight / 32)],
		['more and more', (inFlight: number) => 80 * Math.max(1, inFlight / 32) ** 2],
	])('finds the best number when it slows down %s beyond 32', async (_, latencyMs) => {
		const best = await bestFixed(1000, { latencyMs });
		expect((await automatic(1000, { latencyMs })).seconds / best).toBeLessThan(1.2);
		expect((await automatic(10_000, { latencyMs })).seconds / (10 * best)).toBeLessThan(1.15);
	});
});

const announces = ({ limit, remaining }: Quota) => ({
	'x-rate-limit-limit': String(limit),
	'x-rate-limit-remaining': String(remaining),
});

/** A minute that others had nearly used up. */
const usedMinute = () => {
	const admission = slidingWindow(600, MINUTE);
	for (let i = 0; i < 550; i++) admission.admits(0, 1);
	return admission;
};
const moreLater = (): Admission => ({
	...atMostInFlight(4),
	admits: (now, inFlight) => inFlight <= (now < 10_000 ? 4 : 64),
});
const withChance = (): Admission => {
	const random = seededRandom(5);
	const limit = fixedWindow(100, 1000);
	return { ...limit, admits: (now, inFlight) => random() >= 0.1 && limit.admits(now, inFlight) };
};

type Case = [
	string,
	number,
	() => Admission,
	seconds: number,
	share: number,
	more?: ServiceOptions,
];

/** Seconds are often those that the service itself needs, times what the limit may add. */
const CASES: Case[] = [
	['100 per second in windows', 600, () => fixedWindow(100, 1000), 5.08 * 1.3, 0.12],
	['100 in a sliding second', 600, () => slidingWindow(100, 1000), 5.08 * 1.3, 0.12],
	['100 per second from a bucket', 600, () => tokenBucket(100, 100), 5.08 * 1.3, 0.12],
	['100 per second, with a long list', 3000, () => fixedWindow(100, 1000), 29.08 * 1.15, 0.03],
	...[600, 700, 800, 850, 900].map((phase): Case => {
		const what = `100 in windows that change ${1000 - phase} ms after the start`;
		return [what, 600, () => fixedWindow(100, 1000, phase), 7.5, 0.13];
	}),
	...[80, 200].map((latency): Case => {
		const what = `hardly any burst, and answers within ${latency} ms`;
		return [what, 600, () => tokenBucket(100, 10), 25, 0.05, { latencyMs: () => latency }];
	}),
	['30 announced, in windows', 300, () => fixedWindow(30, 1000), 9.08 * 1.2, 0.005, { announces }],
	['30 announced, sliding', 300, () => slidingWindow(30, 1000), 9.08 * 1.2, 0.005, { announces }],
	// What has been refilled since the response cannot be told from a wrong number.
	['30 announced, a bucket', 300, () => tokenBucket(30, 30), 9.08 * 1.2, 0.025, { announces }],
	['600 per minute in windows', 1500, () => fixedWindow(600, MINUTE), 120.4 * 1.1, 0.05],
	['600 in a sliding minute', 1500, () => slidingWindow(600, MINUTE), 120.4 * 1.1, 0.05],
	['600 per minute from a bucket', 1500, () => tokenBucket(10, 600), 90 * 1.1, 0.05],
	['600 per minute, of which others had 550', 1500, usedMinute, 180.4 * 1.1, 0.15],
	['less than one per second', 60, () => slidingWindow(1, 2000), 118 * 1.9, 0.5],
	['16 at once, found a second at a time', 10_000, () => atMostInFlight(16), 50 * 1.35, 0.01],
	// With the initial four it would take 60 seconds.
	['4 at once, and more later', 3000, moreLater, 32, 0.01],
	// The limit itself needs at least 15 seconds.
	['100 per second, and refusals by chance', 1500, withChance, 100, 0.2],
];

describe('adaptiveLimit, however the service refuses,', () => {
	it.each(CASES)(
		'loses nothing, wastes little and is near the floor with %s',
		async (_what, count, admission, mostSeconds, mostWasted, more: ServiceOptions = {}) => {
			const { seconds, wasted, lost, mostInFlight } = await worst(count, admission, more);
			expect(lost).toBe(0);
			expect(seconds).toBeLessThan(mostSeconds);
			expect(wasted).toBeLessThan(mostWasted);
			expect(mostInFlight).toBeLessThanOrEqual(64);
		},
	);
});

describe('adaptiveLimit on a service that counts per second', () => {
	it.each([5, 20, 80])(
		'has less than 8 %% refused with a bucket of 100, and on average over the phases of windows, within %d ms',
		async (latency) => {
			const share = async (seed: number, admission: Admission) => {
				const random = seededRandom(seed);
				const latencyMs = () => latency * (0.8 + 0.4 * random());
				return (await automatic(600, { latencyMs, refusalMs: latency, admission })).wasted;
			};
			const shares: number[] = [];
			for (const seed of [1, 2, 3, 4, 5]) {
				expect(await share(seed, tokenBucket(100, 100))).toBeLessThan(0.08);
				for (let phase = 0; phase < 1000; phase += 100) {
					shares.push(await share(seed, fixedWindow(100, 1000, phase)));
				}
			}
			// A window that changes during the first requests admits twice as many of them, and refuses more.
			expect(Math.max(...shares)).toBeLessThan(0.13);
			expect(shares.reduce((sum, each) => sum + each) / shares.length).toBeLessThan(0.08);
		},
	);

	it.each([
		[200, 1.06],
		[800, 1.2],
	])(
		'soon recovers when the service refuses everything for %d ms, late in a long list',
		async (outageMs, mostOverFloor) => {
			const counting = slidingWindow(100, 1000);
			const admits: Admission['admits'] = (now, inFlight) =>
				(now < 40_000 || now >= 40_000 + outageMs) && counting.admits(now, inFlight);
			const { seconds, lost } = await automatic(10_000, { admission: { admits } });
			expect(lost).toBe(0);
			expect(seconds / 100).toBeLessThan(mostOverFloor);
		},
	);
});
describe('adaptiveLimit on a service that announces its limit', () => {
	it('needs a single refusal to believe it, and few to see that it still holds', async () => {
		const options = () => ({ admission: slidingWindow(30, 1000), announces });
		expect((await automatic(200, options())).wasted).toBeCloseTo(1 / 201, 5);
		expect((await automatic(3000, options())).wasted).toBeLessThan(0.01);
	});

	it('is not slowed down for long by one that is too low', async () => {
		const tooLow = ({ limit, remaining, resetMs }: Quota) =>
			announces({ limit: limit - 5, remaining: Math.max(0, remaining - 5), resetMs });
		const admission = () => slidingWindow(30, 1000);
		const untold = await automatic(1500, { admission: admission() });
		const told = await automatic(1500, { admission: admission(), announces: tooLow });
		expect(told.lost).toBe(0);
		expect(told.seconds).toBeLessThan(untold.seconds * 1.03);
	});

	it('keeps to the user’s own limit as well', async () => {
		const { mostInFlight, wasted } = await fixed(300, 4, {
			admission: slidingWindow(30, 1000),
			announces,
		});
		expect(mostInFlight).toBe(4);
		expect(wasted).toBeLessThan(0.02);
	});

	it('does not stop for a day because none remains', async () => {
		const used = { limit: 10_000, remaining: 0, resetMs: 0 };
		const { seconds, lost } = await automatic(1000, {
			admission: { admits: () => true, quota: () => used },
			announces,
		});
		expect(lost).toBe(0);
		expect(seconds / (await automatic(1000)).seconds).toBeLessThan(1.3);
	});

	it('has fewer refused where others use the same limit', async () => {
		const others = () => {
			const admission = slidingWindow(30, 1000);
			let othersAt = 0;
			return {
				...admission,
				admits(now: number, inFlight: number) {
					for (; othersAt <= now; othersAt += 50) admission.admits(othersAt, 1);
					return admission.admits(now, inFlight);
				},
			};
		};
		const told = await automatic(300, { admission: others(), announces });
		const untold = await automatic(300, { admission: others() });
		expect(told.lost).toBe(0);
		expect(told.wasted).toBeLessThan(untold.wasted / 2);
		expect(told.seconds).toBeLessThan(untold.seconds * 1.1);
	});
});

describe('adaptiveLimit on a service that counts per minute', () => {
	it('sends no more than allowed in the minutes that follow', async () => {
		const short = await worst(1200, () => slidingWindow(600, MINUTE));
		const long = await automatic(6000, { admission: slidingWindow(600, MINUTE) });
		expect(long.lost).toBe(0);
		expect(long.seconds / 540).toBeLessThan(1.15);
		expect(long.wasted).toBeLessThan(short.wasted);
	});
});

describe('adaptiveLimit on a service with a concurrency limit', () => {
	it.each([16, 4, 1])('finds the number %d by itself', async (most) => {
		const floor = (1000 * 0.08) / most;
		for (const refusalMs of [0, 80]) {
			const { seconds, wasted, lost } = await automatic(1000, {
				refusalMs,
				admission: atMostInFlight(most),
			});
			expect(lost).toBe(0);
			expect(seconds / floor).toBeLessThan(1.2);
			expect(wasted).toBeLessThan(0.03);
		}
	});
});
describe('adaptiveLimit on a service that refuses now and then, whatever the load', () => {
	it.each([
		[0.04, 5, 30],
		[0.04, 80, 30],
		[0.1, 80, 60],
		[0.2, 80, 120],
	])('is not brought to a crawl by %d of all answers, of %d ms', async (share, latency, most) => {
		for (const sendsRetryAfter of [false, true]) {
			for (const seed of [1, 2, 3]) {
				const random = seededRandom(seed);
				const { seconds, lost } = await automatic(2000, {
					latencyMs: () => latency,
					refusalMs: latency,
					sendsRetryAfter,
					admission: { admits: () => random() >= share, retryAfter: () => 0 },
				});
				expect(lost).toBe(0);
				expect(seconds).toBeLessThan(most);
			}
		}
	});
});
describe('adaptiveLimit on a service that fails', () => {
	it('is not brought to a crawl by failures that have nothing to do with load', async () => {
		const random = seededRandom(3);
		const { seconds, lost } = await automatic(5000, { fails: () => random() < 0.02 });
		expect(lost).toBe(0);
		expect(seconds).toBeLessThan(15);
	});

	it('finds the number beyond which the service fails', async () => {
		let inFlight = 0;
		const { seconds, lost, failed } = await automatic(2000, {
			latencyMs: (now) => {
				inFlight = now;
				return 80;
			},
			fails: () => inFlight > 20,
		});
		expect(lost).toBe(0);
		expect(seconds).toBeLessThan(15.1);
		expect(failed).toBeLessThan(620);
	});

	it('outlasts two hundred failures in a row', async () => {
		let asked = 0;
		const { lost } = await automatic(2000, { fails: () => ++asked > 500 && asked < 700 });
		expect(lost).toBe(0);
	});
});

const answers = fc.constantFrom<Outcome>({ kind: 'ok' }, { kind: 'overloaded' });

describe('fixedWidth', () => {
	it('keeps exactly its number in flight, however the service responds', async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 70 }), fc.array(answers), async (width, given) => {
				const clock = new VirtualClock();
				const limit = fixedWidth(clock, width);
				let inFlight = 0;
				let most = 0;
				const request = async (answer: Outcome) => {
					const leave = await limit.enter();
					most = Math.max(most, ++inFlight);
					await clock.sleep(10);
					inFlight--;
					leave(answer);
				};
				await clock.runUntil(Promise.all(given.map(request)));
				expect(most).toBe(Math.min(width, given.length));
			}),
		);
	});

	it('holds all requests back for as long as the service told one of them', async () => {
		const clock = new VirtualClock(0);
		const limit = fixedWidth(clock, 3);
		const first = await limit.enter();
		const second = await limit.enter();
		first({ kind: 'rateLimited', retryAfterMs: 500 });
		second({ kind: 'rateLimited', retryAfterMs: 100 });
		await clock.runUntil(limit.enter());
		expect(clock.now()).toBe(500);
	});

	it.each([1, 8, 64])('loses nothing on a service that counts, with %i at once', async (width) => {
		for (const admission of [
			() => slidingWindow(20, 1_000),
			() => slidingWindow(60, 60_000),
			() => fixedWindow(10, 60_000),
			() => atMostInFlight(4),
		]) {
			for (const sendsRetryAfter of [false, true]) {
				const { lost, mostInFlight } = await runList(200, (clock) => fixedWidth(clock, width), {
					admission: admission(),
					sendsRetryAfter,
				});
				expect(lost).toBe(0);
				expect(mostInFlight).toBeLessThanOrEqual(width);
			}
		}
	});

	it('wastes hardly more than the automatic limit on a service that counts', async () => {
		const service = () => ({ admission: slidingWindow(100, 1_000) });
		const { seconds, wasted } = await runList(600, (clock) => fixedWidth(clock, 64), service());
		expect(seconds).toBeLessThan(7.5);
		expect(wasted).toBeLessThan(0.2);
	});
});
