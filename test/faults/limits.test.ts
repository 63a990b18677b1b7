import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

import { runList, startList } from './listRun';
import { randomMishaps } from './mishap';
import { report, requestFigures } from './report';
import { SEED } from './seed';
import { openTestbed, phones, startCalls, tally, type Testbed } from './testbed';

const requestOptions = { maxRetries: 8, timeout: 2 };

let testbed: Testbed;

afterEach(async () => await testbed.close());

describe('the number of requests in flight', () => {
	it('is never more than 64', async () => {
		testbed = await openTestbed(undefined, { latencyMs: 300 });
		const { emulator, door } = testbed;
		const { success } = await runList({
			emulator,
			baseUrl: door.url,
			parameters: startCalls(requestOptions),
			items: phones(1_000),
		});

		report('Slow service', requestFigures(door));
		expect(success).toHaveLength(1_000);
		expect(door.peak).toBeLessThanOrEqual(64);
		expect(door.peak).toBeGreaterThan(32);
	});

	it('is as configured, even when answers drip in until they time out', async () => {
		testbed = await openTestbed((_asked, attempt) => (attempt === 0 ? 'drippingBody' : undefined), {
			latencyMs: 100,
		});
		const { emulator, door } = testbed;
		const { success } = await runList({
			emulator,
			baseUrl: door.url,
			parameters: startCalls({ maxRetries: 8, timeout: 1, concurrency: 8 }),
			items: phones(24),
		});

		expect(success).toHaveLength(24);
		expect(door.peak).toBe(8);
	});
});

describe('requests per second', () => {
	const PER_SECOND = 150;

	it('never exceed the limit in any stretch of time, retries included', async () => {
		testbed = await openTestbed(randomMishaps(SEED, 0.2));
		const { emulator, door } = testbed;
		const starts: number[] = [];
		// The time n8n sends, not the time of arrival: the node does not control the delay in between.
		const onStart = (message: unknown) => {
			const { request } = message as { request: ClientRequest };
			if (door.url.endsWith(String(request.getHeader('host')))) starts.push(performance.now());
		};
		const lag = monitorEventLoopDelay({ resolution: 5 });
		subscribe('http.client.request.start', onStart);
		lag.enable();

		const { success } = await runList({
			emulator,
			baseUrl: door.url,
			parameters: startCalls({ ...requestOptions, requestsPerSecond: PER_SECOND }),
			items: phones(450),
		});

		lag.disable();
		unsubscribe('http.client.request.start', onStart);
		expect(success).toHaveLength(450);
		expect(starts.length).toBeGreaterThanOrEqual(door.arrivals.length);
		// While Node.js is busy, a turn is late, and the next one may still be on time.
		const lateMs = lag.max / 1e6 + 2;
		const tooClose = closestStretches(starts).map(
			([turns, stretchMs]) => (turns * 1_000) / PER_SECOND - stretchMs,
		);
		report('Requests per second', {
			allowed: PER_SECOND,
			sent: starts.length,
			'ahead of time by at most': `${Math.max(...tooClose).toFixed(0)} ms`,
			'late by at most': `${lateMs.toFixed(0)} ms`,
		});
		expect(Math.max(...tooClose)).toBeLessThanOrEqual(lateMs);
	});

	/** For every number of turns, the shortest time in which that many followed a start. */
	function closestStretches(starts: number[]): Array<[turns: number, stretchMs: number]> {
		return starts.slice(1).map((_start, index) => {
			const turns = index + 1;
			const stretches = starts.slice(turns).map((start, from) => start - (starts[from] ?? 0));
			return [turns, stretches.reduce((one, other) => Math.min(one, other))];
		});
	}
});

describe('after Stop', () => {
	it('nothing more is sent, though many were about to retry', async () => {
		testbed = await openTestbed(randomMishaps(SEED, 0.4));
		const { emulator, door } = testbed;
		const run = startList({
			emulator,
			baseUrl: door.url,
			parameters: startCalls(requestOptions),
			items: phones(3_000),
		});
		const lag = monitorEventLoopDelay({ resolution: 5 });
		const stopped = new Promise<number>((resolve) => {
			door.after(600, () => {
				lag.enable();
				run.stop();
				resolve(Date.now());
			});
		});

		const stoppedAt = await stopped;
		const { arrivals } = door;
		const answered = new Set(arrivals.flatMap((one) => (one.delivered ? one.asked : [])));
		const unanswered = new Set(
			arrivals.map(({ asked }) => asked).filter((key) => !answered.has(key)),
		);
		await run.result;
		// The longest backoff after a first failure plus that after a second.
		await delay(3_000);
		lag.disable();

		report('Stop', { 'still to be tried again': unanswered.size, ...requestFigures(door) });
		expect(unanswered.size).toBeGreaterThan(5);
		// Requests already handed to n8n are still in flight, and arrive late while Node.js is busy.
		const lastAt = stoppedAt + 250 + lag.max / 1e6;
		expect(arrivals.filter(({ at }) => at > lastAt)).toEqual([]);
		expect(arrivals.length - 600).toBeLessThanOrEqual(64);
		expect([...tally(emulator.ledger.calls.map(({ phone }) => phone)).values()]).not.toContain(2);
	});
});
