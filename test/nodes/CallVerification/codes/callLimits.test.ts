import {
	A_DAY,
	AN_HOUR,
	CallLimits,
	endOf,
	MOST_LIMIT_ENTRIES,
	ofMinutes,
} from '../../../../nodes/CallVerification/codes/callLimits';
import { CallCounts } from '../../../../nodes/CallVerification/codes/callCounts';
import { NodeRow } from '../../../../nodes/CallVerification/codes/nodeRow';
import { ProcessCounts } from '../../../../nodes/CallVerification/codes/processMemory';
import { seededRandom } from '../../../../emulator/seededRandom';
import { accountDigest } from '../../../../nodes/CallVerification/transport/credential';
import { contextOn, SharedRow, TurnClock } from './sharedRow';

const HOUR = AN_HOUR.length;
const digest = accountDigest({ baseUrl: 'https://service.test', secretKey: 'key', serviceId: '1' });
const perHour = (most: number, id = 'node') => ({ id, most, period: AN_HOUR });

let nodes = 0;

describe('calls of one process', () => {
	it('are counted per node, for an hour', () => {
		const calls = new CallCounts<string>();
		expect(calls.claim('a', '1', perHour(1), 0)).toBe(true);
		expect(calls.claim('a', '2', perHour(1), HOUR - 1)).toBe(false);
		expect(calls.claim('b', '2', perHour(1), 0)).toBe(true);
		expect(calls.claim('a', '2', perHour(1), HOUR)).toBe(true);
	});

	it('count a start that n8n repeats once', () => {
		const calls = new CallCounts<string>();
		expect(calls.claim('a', '1', perHour(1), 0)).toBe(true);
		expect(calls.claim('a', '1', perHour(1), 1)).toBe(true);
		expect(calls.claim('a', '2', perHour(1), 2)).toBe(false);
	});

	it('count no call that was not made, but one that another start with its key has made or may make', () => {
		const calls = new CallCounts<string>();
		calls.claim('a', '1', perHour(1), 0);
		calls.claim('a', '1', perHour(1), 0);
		calls.release('a', '1');
		expect(calls.claim('a', '2', perHour(1), 0)).toBe(false);
		calls.release('a', '1');
		expect(calls.claim('a', '2', perHour(1), 0)).toBe(true);
	});

	it('do not pile up for keys that strangers choose', () => {
		const calls = new CallCounts<string>();
		for (let key = 0; key < 1_000; key++) calls.claim(`node ${key}`, 'call', perHour(5), key);
		expect(calls.size).toBe(1_000);
		calls.claim('node 0', 'another call', perHour(5), HOUR - 1);
		calls.claim('node', 'call', perHour(5), HOUR + 499);
		// 500 to 999, the new one, and the first, which was used again.
		expect(calls.size).toBe(502);
		expect(calls.claim('node 0', 'third call', perHour(1), HOUR + 500)).toBe(false);
	});
});

/** Processes of n8n that share a row, each with a memory of its own. */
function processes(count: number, row: SharedRow, clock: TurnClock, seed = 1) {
	const node = `node ${++nodes}`;
	return Array.from({ length: count }, (_none, index) => {
		const random = seededRandom(seed * 100 + index);
		// Another node for each, because within a process the uses of a row take turns.
		const context = contextOn(row, { nodeId: `${node} in process ${index}` });
		const of = { capacity: MOST_LIMIT_ENTRIES, counts: 'Calls', scope: 'node' as const };
		const nodeRow = new NodeRow(context, { ...clock }, random, of);
		const all = { ...clock, timer: () => new AbortController().signal };
		return new CallLimits(node, nodeRow, digest, all, random, new ProcessCounts());
	});
}

let calls = 0;
const aCall = () => `call ${++calls}`;

/** How many of this many starts at the same moment may make their calls. */
async function startAtOnce(
	limits: CallLimits[],
	starts: number,
	limit: ReturnType<typeof perHour>,
): Promise<number> {
	const claims = await Promise.all(
		Array.from({ length: starts }, async (_none, index) => {
			return await limits[index % limits.length]?.claim([limit], aCall());
		}),
	);
	return claims.filter((claim) => claim?.refusedBy === undefined).length;
}

describe('calls of several processes', () => {
	const WRITES = [
		{ least: 1, most: 4 },
		{ least: 10, most: 15 },
		{ least: 1, most: 60 },
	];

	it.each([1, 2, 4])('of %s that start at once, no more than allowed are made', async (count) => {
		const made = [];
		for (const { least, most } of WRITES) {
			for (let seed = 1; seed <= 60; seed++) {
				const clock = new TurnClock();
				const random = seededRandom(seed);
				const takes = () => least + Math.floor(random() * (most - least + 1));
				const row = new SharedRow(async () => await clock.sleep(takes()));
				const starts = seed % 2 === 0 ? 12 : 40;
				made.push(await startAtOnce(processes(count, row, clock, seed), starts, perHour(5)));
			}
		}
		expect(Math.min(...made)).toBeGreaterThan(0);
		// Between processes, a write that takes longer than others expect lets some more through.
		expect(Math.max(...made)).toBeLessThanOrEqual(count === 1 ? 5 : 8);
	});

	it('are at most as many as allowed in each, even if what it writes is overwritten each time', async () => {
		const clock = new TurnClock();
		const row = new SharedRow(async () => await clock.sleep(2));
		row.afterWrite = async () => void (row.entries = []);
		expect(await startAtOnce(processes(2, row, clock), 40, perHour(5))).toBe(10);
	});

	it('that overwrite each other look for another seat, and none is given twice', async () => {
		for (let seed = 1; seed <= 6; seed++) {
			const clock = new TurnClock();
			const row = new SharedRow(async () => await clock.sleep(3));
			expect(await startAtOnce(processes(2, row, clock, seed), 4, perHour(3))).toBe(3);
		}
	});

	it('are remembered after a restart, for an hour and at most ten minutes more', async () => {
		const row = new SharedRow();
		const startedAt = 25 * 60_000;
		const at = (time: number) => processes(1, row, new TurnClock(time));
		expect(await startAtOnce(at(startedAt), 9, perHour(5))).toBe(5);
		expect(await startAtOnce(at(startedAt + HOUR - 1_000), 9, perHour(5))).toBe(0);
		expect(await startAtOnce(at(startedAt + HOUR + 10 * 60_000), 9, perHour(5))).toBe(5);
	});

	it('count once if repeated with their key, even by another process', async () => {
		const row = new SharedRow();
		const call = aCall();
		for (const [limits] of [1, 2, 3].map(() => processes(1, row, new TurnClock()))) {
			expect((await limits?.claim([perHour(1)], call))?.refusedBy).toBeUndefined();
		}
		const [another] = processes(1, row, new TurnClock());
		expect((await another?.claim([perHour(1)], aCall()))?.refusedBy).toEqual(perHour(1));
	});

	it('do not count if they were not made, and the others get their seats', async () => {
		const row = new SharedRow();
		const [one, other] = processes(2, row, new TurnClock());
		const claims = [];
		for (let time = 0; time < 5; time++) claims.push(await one?.claim([perHour(5)], aCall()));
		expect((await other?.claim([perHour(5, 'of another')], aCall()))?.refusedBy).toBeUndefined();
		for (const claim of claims) await claim?.release();
		expect(await startAtOnce(processes(1, row, new TurnClock()), 9, perHour(5))).toBe(5);
	});

	it('are refused by the first limit that is reached, and take no seat of the others', async () => {
		const row = new SharedRow();
		const key = perHour(2, 'key');
		const [first, second] = [
			processes(1, row, new TurnClock()),
			processes(1, row, new TurnClock()),
		].flat();
		for (let time = 0; time < 2; time++) await first?.claim([key, perHour(5)], aCall());
		const refused = await second?.claim([key, perHour(5)], aCall());
		expect(refused?.refusedBy).toEqual(key);
		expect(await startAtOnce(processes(1, row, new TurnClock()), 9, perHour(5))).toBe(3);
	});

	it('are limited per day in UTC', async () => {
		const row = new SharedRow();
		const perDay = { id: 'number', most: 5, period: A_DAY };
		const at = (time: number) => processes(1, row, new TurnClock(time));
		expect(await startAtOnce(at(A_DAY.length - 2_000), 9, perDay)).toBe(5);
		expect(await startAtOnce(at(A_DAY.length - 1_000), 9, perDay)).toBe(0);
		expect(await startAtOnce(at(A_DAY.length), 9, perDay)).toBe(5);
	});

	it('find the last of many seats with few queries, and a flood does not query at all', async () => {
		const row = new SharedRow();
		const clock = new TurnClock();
		const sixty = perHour(60);
		expect(await startAtOnce(processes(1, row, clock), 59, sixty)).toBe(59);
		const [late] = processes(1, row, clock);
		row.writes = 0;
		expect((await late?.claim([sixty], aCall()))?.refusedBy).toBeUndefined();
		expect(row.writes).toBeLessThanOrEqual(14);
		expect((await late?.claim([sixty], aCall()))?.refusedBy).toEqual(sixty);
		row.writes = 0;
		for (let time = 0; time < 10; time++) await late?.claim([sixty], aCall());
		// The mark of the call, and its removal.
		expect(row.writes).toBe(20);
	});

	it('have room as soon as their limit is raised', async () => {
		const row = new SharedRow();
		await startAtOnce(processes(1, row, new TurnClock()), 5, perHour(5));
		const [limits] = processes(1, row, new TurnClock());
		expect((await limits?.claim([perHour(5)], aCall()))?.refusedBy).toEqual(perHour(5));
		expect((await limits?.claim([perHour(6)], aCall()))?.refusedBy).toBeUndefined();
	});

	it('have room again within a minute after the hour, in a process that was refused meanwhile', async () => {
		const row = new SharedRow();
		let now = 0;
		const clock = Object.assign(new TurnClock(), { wallTime: () => now });
		await startAtOnce(processes(1, row, clock), 5, perHour(5));
		const [refused] = processes(1, row, clock);
		const isRefused = async () => (await refused?.claim([perHour(5)], aCall()))?.refusedBy;
		const until = endOf(AN_HOUR, 0);
		now = until - 1;
		expect(await isRefused()).toEqual(perHour(5));
		now = until + 60_000 - 2;
		expect(await isRefused()).toEqual(perHour(5));
		now = until + 60_000;
		expect(await isRefused()).toBeUndefined();
	});

	it('are counted by each process alone while the row fails, or if the limit is too large for it', async () => {
		const failing = new SharedRow();
		failing.fails = true;
		expect(await startAtOnce(processes(2, failing, new TurnClock()), 40, perHour(5))).toBe(10);
		const row = new SharedRow();
		await startAtOnce(processes(2, row, new TurnClock()), 4, perHour(1_001));
		expect(row.writes).toBe(0);
	});

	it('are limited in a row that is full, too, which forgets what is oldest', async () => {
		const row = new SharedRow();
		row.entries = Array.from({ length: MOST_LIMIT_ENTRIES }, (_none, index) => `old ${index}`);
		expect(await startAtOnce(processes(1, row, new TurnClock()), 9, perHour(5))).toBe(5);
		expect(row.entries).toHaveLength(MOST_LIMIT_ENTRIES);
		expect(await startAtOnce(processes(1, row, new TurnClock()), 9, perHour(5))).toBe(0);
	});

	it('leave no more in the row than counts, in a process that lives', async () => {
		const row = new SharedRow();
		let now = 0;
		const clock = Object.assign(new TurnClock(), { wallTime: () => now });
		const [limits] = processes(1, row, clock);
		for (; now < 5 * 24 * HOUR; now += 2 * 60_000) {
			await limits?.claim([perHour(60), { id: `key ${now}`, most: 3, period: AN_HOUR }], aCall());
		}
		// 30 calls an hour: 14 entries for an hour each, a mark for a day, and what is removed with the next 500.
		expect(row.entries.length).toBeLessThan(36 * 14 + 24 * 30 + 600);
	});
});

describe('the end of a period', () => {
	it('is at least as late as the period is long, and at most a sixth later', () => {
		for (const period of [AN_HOUR, ofMinutes(1), ofMinutes(10), ofMinutes(1_440)]) {
			for (let startedAt = 0; startedAt < period.length; startedAt += period.length / 97) {
				const lasts = endOf(period, startedAt) - startedAt;
				expect(lasts).toBeGreaterThanOrEqual(period.length);
				expect(lasts).toBeLessThanOrEqual((period.length * 7) / 6 + 1e-6);
			}
		}
	});
});
