import type { INodeParameters } from 'n8n-workflow';

import { VirtualClock } from '../virtualClock';
import { credential, type RunContext, runNode } from '../../harness/engine/n8nCore';
import { checkPhone, CONTINUE, startCall } from './parameters';
import {
	checked,
	numbers,
	refusal,
	replying,
	type Service,
	simulate,
	type SimulatedRun,
} from './simulatedRun';
import { wire } from './wire';

/** Each limit, with runs of the same credential at the same time. */

const check = (requestOptions: INodeParameters, options: INodeParameters = {}) =>
	checkPhone({ options, requestOptions });

/** Runs on one clock. */
const atOnce = async (runs: Array<Partial<RunContext> & { parameters: INodeParameters }>) => {
	const clock = new VirtualClock();
	const results = await Promise.all(
		runs.map(
			async (run, index) =>
				await simulate({ clock, items: numbers(8), executionId: `run ${index}`, ...run }),
		),
	);
	return results.map(({ sent }) => sent.map(({ at }) => at));
};

describe('Requests per Second', () => {
	const starts = (runs: number[][]) => runs.flat().sort((one, other) => one - other);
	const gaps = (times: number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0));

	it('applies to all runs of a credential together, and each gets its turn', async () => {
		const parameters = check({ requestsPerSecond: 2 });
		const runs = await atOnce(Array.from({ length: 5 }, () => ({ parameters })));
		expect(starts(runs)).toHaveLength(40);
		expect(Math.min(...gaps(starts(runs)))).toBeGreaterThanOrEqual(0.5 - 1e-6);
		// In turns, so all of them take about the same time.
		const ends = runs.map((times) => times.at(-1) ?? 0);
		expect(Math.min(...ends)).toBeGreaterThan(0.7 * Math.max(...ends));
	});

	it('is kept by each run with its own value, whatever the others have', async () => {
		const [slow = [], fast = []] = await atOnce([
			{ parameters: check({ requestsPerSecond: 1 }) },
			{ parameters: check({ requestsPerSecond: 10 }) },
		]);
		const before = (time: number) =>
			Math.max(...[...slow, ...fast].filter((other) => other < time - 1e-6));
		for (const time of slow) expect(time - before(time)).toBeGreaterThanOrEqual(1 - 1e-6);
		for (const time of fast) expect(time - before(time)).toBeGreaterThanOrEqual(0.1 - 1e-6);
	});

	it('slows down neither another credential nor a run without the option', async () => {
		const [limited = [], other = [], free = []] = await atOnce([
			{ parameters: check({ requestsPerSecond: 1 }) },
			{
				parameters: check({ requestsPerSecond: 1 }),
				credential: credential({ secretKey: 'another key' }),
			},
			{ parameters: check({}) },
		]);
		expect(limited.at(-1)).toBeLessThan(7.5);
		expect(other.at(-1)).toBeLessThan(7.5);
		expect(free.at(-1)).toBeLessThan(1);
	});

	it('applies from one run to the next', async () => {
		const clock = new VirtualClock();
		const run = { clock, parameters: check({ requestsPerSecond: 1 }) };
		await simulate({ ...run, items: numbers(1) });
		const { sent } = await simulate({ ...run, items: numbers(1) });
		// The first response took 80 ms.
		expect(sent[0]?.at).toBeGreaterThan(0.9);
		expect(sent[0]?.at).toBeLessThan(1);
	});
});

describe('Concurrency', () => {
	it('is the number of requests in flight in each run', async () => {
		let inFlight = 0;
		let most = 0;
		const service: Service = async (request, clock) => {
			most = Math.max(most, ++inFlight);
			await clock.sleep(80);
			inFlight--;
			return checked(request);
		};
		const clock = new VirtualClock();
		const run = { service, clock, items: numbers(30), parameters: check({ concurrency: 3 }) };
		await Promise.all([simulate(run), simulate(run)]);
		expect(most).toBe(6);
	});
});

describe('Max Total Cost', () => {
	it('is the limit of each run', async () => {
		const run = { parameters: check({}, { maxTotalCost: 2 }), ...CONTINUE };
		const runs = await atOnce([run, run]);
		expect(runs.map(({ length }) => length)).toEqual([4, 4]);
	});
});

describe.each([
	['Max Calls per Hour', { maxCallsPerHour: 6 }],
	['Max Calls per Hour and Key', { limitKey: '203.0.113.7', maxCallsPerKey: 6 }],
])('%s', (label, options) => {
	it('is the limit of all runs of a node together', async () => {
		const sent = wire({ body: { status: true, vendor_id: 1 } });
		const run = {
			parameters: startCall({ phone: '={{ $json.phone }}', options }),
			items: numbers(5),
			workflow: { id: `${label}, two runs at once` },
			...CONTINUE,
		};
		const results = await Promise.all(
			['one', 'two'].map(async (executionId) => await runNode({ ...run, executionId })),
		);
		const started = results.flatMap(({ success }) => success.filter(({ json }) => !json.error));
		expect(started).toHaveLength(6);
		expect(sent).toHaveLength(6);
	});
});

describe('what a run has learned about the service', () => {
	const runsWith = (secretKey: string) => {
		const clock = new VirtualClock();
		const run = { clock, parameters: check({}), credential: credential({ secretKey }) };
		return async (count: number, service?: Service) =>
			await simulate({ ...run, items: numbers(count), service, ...CONTINUE });
	};
	const atOnceFirst = ({ sent }: SimulatedRun) => sent.filter(({ at }) => at < 0.05).length;

	it('lets the next long list start with as many requests, but not after a failure', async () => {
		const run = runsWith('learns');
		const first = await run(200);
		const second = await run(200);
		expect(atOnceFirst(second)).toBeGreaterThan(atOnceFirst(first));
		const isRefused = ({ phone }: { phone: string }) => phone.endsWith('77');
		await run(
			200,
			replying((request) => (isRefused(request) ? refusal(17) : checked(request))),
		);
		expect(atOnceFirst(await run(200))).toBe(atOnceFirst(first));
	});

	it('is left for the next long list by a short one', async () => {
		const run = runsWith('waits');
		const first = await run(200);
		await run(5);
		expect(atOnceFirst(await run(200))).toBeGreaterThan(atOnceFirst(first));
	});
});

it('a run that is over logs no more progress', async () => {
	const clock = new VirtualClock();
	const { progress } = await simulate({ clock, parameters: check({}), items: numbers(8) });
	await clock.advance(60_000);
	expect(progress).toEqual([]);
});
