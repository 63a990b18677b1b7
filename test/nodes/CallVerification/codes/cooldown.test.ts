import { setImmediate, setTimeout } from 'node:timers/promises';

import { seededRandom } from '../../../../emulator/seededRandom';
import { Cooldown } from '../../../../nodes/CallVerification/codes/cooldown';
import { MOST_LIMIT_ENTRIES } from '../../../../nodes/CallVerification/codes/callLimits';
import { NodeRow } from '../../../../nodes/CallVerification/codes/nodeRow';
import { ProcessCalls, ProcessUses } from '../../../../nodes/CallVerification/codes/processMemory';
import { LostAttempts } from '../../../../nodes/CallVerification/pacing/retry';
import { UsedCalls } from '../../../../nodes/CallVerification/codes/usedCalls';
import { accountDigest } from '../../../../nodes/CallVerification/transport/credential';
import { systemClock } from '../../../../nodes/CallVerification/transport/pipeline';
import { contextOn, SharedRow } from './sharedRow';

const digest = accountDigest({ baseUrl: 'https://service.test', secretKey: 'key', serviceId: '1' });

let numbers = 0;
let processes = 0;

interface Start {
	readonly pass?: number;
	/** Whether the call may have been made. */
	readonly isMade?: boolean;
	/** Whether the service knew the key. */
	readonly exists?: boolean;
	readonly cooldown?: number;
	/** Resolves or rejects when the service answers. */
	readonly answer?: Promise<void>;
}

/** A process, in which each execution has a memory of its own. Without rows, as in manual runs. */
function startProcess(row?: SharedRow, usesRow?: SharedRow) {
	const process = new ProcessCalls();
	const uses = new ProcessUses();
	// Of its own for each, because within a process the uses of a row take turns.
	const nodeId = `node in process ${++processes}`;
	const workflowId = `workflow in process ${processes}`;
	const cooldownAt = (minute: number, memory = {}, pass = 0, account = digest) => {
		const clock = { ...systemClock, wallTime: () => minute * 60_000 };
		const rowOf = (shared: SharedRow | undefined, scope: 'node' | 'workflow') => {
			const of = { capacity: MOST_LIMIT_ENTRIES, counts: 'Calls', scope };
			const context = shared && contextOn(shared, { workflowId, nodeId });
			return context && new NodeRow(context, clock, () => 0, of);
		};
		const usedCalls = new UsedCalls(rowOf(usesRow, 'workflow'), account, clock, uses);
		const execution = { memory, pass };
		return new Cooldown(rowOf(row, 'node'), usedCalls, account, clock, execution, process);
	};
	/** One execution: each start returns the key that it used at that minute. */
	const execution = (number: string) => {
		const memory = {};
		return async (minute: number, start: Start = {}) => {
			const { pass = 0, isMade = true, exists = false, cooldown = 10 } = start;
			const attempts = new LostAttempts();
			let used = '';
			await cooldownAt(minute, memory, pass)
				.start(number, cooldown, attempts, async (key) => {
					used = key;
					await start.answer?.catch((error: unknown) => {
						attempts.lost();
						throw error;
					});
					if (!isMade) throw new Error('refused');
					return { exists, vendor_id: 1 };
				})
				.catch(() => undefined);
			return used;
		};
	};
	return { execution, cooldownAt };
}

describe('the key of a cooldown', () => {
	const { execution } = startProcess();
	const aNumber = () => `number ${++numbers}`;
	const notMade = { isMade: false };

	it('stays the same while a pass is retried, and follows the time in the next pass', async () => {
		const phone = aNumber();
		const keyAt = execution(phone);
		const first = await keyAt(1_009, notMade);
		expect(await keyAt(1_011, notMade)).toBe(first);
		const second = await keyAt(1_011, { ...notMade, pass: 1 });
		expect(second).not.toBe(first);
		expect(second).toBe(await execution(phone)(1_015, notMade));
	});

	it('stays the same until the minutes have passed, whatever the slot', async () => {
		const phone = aNumber();
		const first = await execution(phone)(1_009.9);
		expect(await execution(phone)(1_010.1)).toBe(first);
		// Being asked again does not make the wait longer.
		expect(await execution(phone)(1_019.8, { exists: true })).toBe(first);
		const second = await execution(phone)(1_020);
		expect(second).not.toBe(first);
		expect(await execution(phone)(1_029.8)).toBe(second);
	});

	it('is the last one of the number, whatever the length of that cooldown', async () => {
		const phone = aNumber();
		const first = await execution(phone)(1_000, { cooldown: 2 });
		expect(await execution(phone)(1_006, { cooldown: 10 })).toBe(first);
		expect(await execution(phone)(1_006, { cooldown: 5 })).not.toBe(first);
	});

	it.each([
		['was not made', notMade],
		['another process has made before', { exists: true }],
	])('is not remembered for a call that %s', async (_what, start) => {
		const phone = aNumber();
		const first = await execution(phone)(1_009.9, start);
		expect(await execution(phone)(1_010.1)).not.toBe(first);
	});

	it('is remembered when the answer is lost after the call may have been made', async () => {
		const phone = aNumber();
		const lost = { answer: Promise.reject(new Error('lost')) };
		const first = await execution(phone)(1_009.9, lost);
		expect(await execution(phone)(1_010.1)).toBe(first);
	});

	it('is shared by two starts at once, even across the end of a slot', async () => {
		const phone = aNumber();
		let refuse = () => {};
		const answer = new Promise<void>((resolve) => (refuse = resolve));
		const first = execution(phone)(1_009.9999, { answer, isMade: false });
		const second = execution(phone)(1_010.0001);
		const key = await second;
		refuse();
		expect(await first).toBe(key);
		// The first was refused, but the second has made the call.
		expect(await execution(phone)(1_015)).toBe(key);
	});

	it('is not forgotten when a start that used an older one is refused late', async () => {
		const phone = aNumber();
		let refuse = () => {};
		const answer = new Promise<void>((resolve) => (refuse = resolve));
		const first = execution(phone)(1_000, { answer, isMade: false });
		const second = await execution(phone)(1_019);
		refuse();
		expect(await first).not.toBe(second);
		expect(await execution(phone)(1_021)).toBe(second);
	});

	it('does not outlive a clock that was set back', async () => {
		const phone = aNumber();
		const first = await execution(phone)(2_000);
		expect(await execution(phone)(1_995)).toBe(first);
		expect(await execution(phone)(1_985)).not.toBe(first);
	});
});

/** A service that knows the keys it has got, and numbers the calls it makes. */
function service() {
	const calls: string[] = [];
	return {
		calls,
		send: async (key: string) => {
			const exists = calls.includes(key);
			if (!exists) calls.push(key);
			return { exists, vendor_id: calls.indexOf(key) + 1 };
		},
	};
}

describe('a number that was called', () => {
	type Process = ReturnType<typeof startProcess>;
	const cooldown = 10;
	const startIn =
		({ send }: ReturnType<typeof service>) =>
		async (process: Process, minute: number, number = 'number') =>
			await process.cooldownAt(minute).start(number, cooldown, new LostAttempts(), send);

	it('is not called again by another process, nor after a restart, even in the next slot', async () => {
		for (const first of [1_000, 1_004.2, 1_009.9]) {
			const [row, ringing] = [new SharedRow(), service()];
			const start = startIn(ringing);
			const { startedAt } = await start(startProcess(row), first);
			expect(startedAt).toBe(first * 60_000);
			for (let minute = first; minute < first + cooldown; minute += 0.7) {
				const { record, ...more } = await start(startProcess(row), minute);
				expect([minute, record, more.startedAt]).toEqual([
					minute,
					{ exists: true, vendor_id: 1 },
					undefined,
				]);
			}
			expect((await start(startProcess(row), first + 11.7)).record.vendor_id).toBe(2);
		}
	});

	it('is called again by a node of another process in the next slot, because each node has a row', async () => {
		const ringing = service();
		const start = startIn(ringing);
		await start(startProcess(new SharedRow()), 1_009.8);
		const startElsewhere = async (minute: number) =>
			(await start(startProcess(new SharedRow()), minute)).record;
		expect((await startElsewhere(1_009.9)).exists).toBe(true);
		expect((await startElsewhere(1_010.1)).exists).toBe(false);
		expect(ringing.calls).toHaveLength(2);
	});

	it('is called once if processes start at the same moment', async () => {
		let steps = 0;
		// Each process is at another step of its own.
		const betweenReadAndWrite = async () => await setTimeout(steps++ % 4);
		const [row, ringing] = [new SharedRow(betweenReadAndWrite), service()];
		const start = startIn(ringing);
		const processesOfRow = [1, 2, 3, 4].map(() => startProcess(row));
		await Promise.all(processesOfRow.map(async (process) => await start(process, 1_003)));
		await Promise.all(processesOfRow.map(async (process) => await start(process, 1_010.5)));
		expect(ringing.calls).toHaveLength(1);
	});

	it('is called once if another process starts between two writes of the first', async () => {
		const [row, ringing] = [new SharedRow(), service()];
		const start = startIn(ringing);
		row.afterWrite = async () => {
			row.afterWrite = async () => {};
			await start(startProcess(row), 1_003);
		};
		await start(startProcess(row), 1_003);
		expect(ringing.calls).toHaveLength(1);
	});

	it('is not called again in the next slot because another process asks at the same moment', async () => {
		const [row, ringing] = [new SharedRow(), service()];
		const start = startIn(ringing);
		await start(startProcess(row), 1_009.9);
		row.writes = 0;
		let later: Promise<unknown> | undefined;
		row.afterWrite = async () => {
			// The second process has asked twice, each time by adding and removing.
			if (row.writes < 4) return;
			const second = first;
			await new Promise<void>((hasAsked) => {
				row.afterWrite = async () => {
					row.afterWrite = async () => {};
					hasAsked();
					await second;
				};
				later = start(startProcess(row), 1_010.1);
			});
		};
		const first = start(startProcess(row), 1_010.1);
		await first;
		await later;
		expect(later).toBeDefined();
		expect(ringing.calls).toHaveLength(1);
	});

	it('is called again at once when its code was used, and then not before the minutes have passed', async () => {
		for (const row of [undefined, new SharedRow()]) {
			const ringing = service();
			const start = startIn(ringing);
			const process = startProcess(row);
			const idsAt = async (minute: number) => (await start(process, minute)).record.vendor_id;
			expect([await idsAt(1_008), await idsAt(1_009)]).toEqual([1, 1]);
			await process.cooldownAt(1_009).end(1);
			expect([await idsAt(1_009), await idsAt(1_012)]).toEqual([2, 2]);
			await process.cooldownAt(1_012).end(2);
			expect([await idsAt(1_012), await idsAt(1_013), await idsAt(1_020)]).toEqual([3, 3, 3]);
			expect(await idsAt(1_024)).toBe(4);
		}
	});

	it('is called again once when another process, or one before a restart, has checked its code', async () => {
		const ringing = service();
		const start = startIn(ringing);
		const [row, usesRow] = [new SharedRow(), new SharedRow()];
		const another = () => startProcess(row, usesRow);
		const idsAt = async (process: Process, minute: number) =>
			(await start(process, minute)).record.vendor_id;
		const [first, second] = [another(), another()];
		expect([await idsAt(first, 1_008), await idsAt(second, 1_008.5)]).toEqual([1, 1]);
		await second.cooldownAt(1_009).end(1);
		expect([await idsAt(first, 1_009), await idsAt(first, 1_009.5)]).toEqual([2, 2]);
		for (const minute of [1_009.6, 1_012, 1_018]) {
			expect([minute, await idsAt(another(), minute)]).toEqual([minute, 2]);
		}
		await another().cooldownAt(1_018).end(2);
		expect([await idsAt(another(), 1_018.1), await idsAt(another(), 1_018.2)]).toEqual([3, 3]);
		expect(ringing.calls).toHaveLength(3);
	});

	it('is called again once in the next slot, too, whichever process asks', async () => {
		const ringing = service();
		const start = startIn(ringing);
		const [row, usesRow] = [new SharedRow(), new SharedRow()];
		const another = () => startProcess(row, usesRow);
		const idsAt = async (process: Process, minute: number) =>
			(await start(process, minute)).record.vendor_id;
		const [first, second] = [another(), another()];
		expect(await idsAt(first, 1_008)).toBe(1);
		await second.cooldownAt(1_009.5).end(1);
		expect(await idsAt(second, 1_010.5)).toBe(2);
		for (const minute of [1_011, 1_013, 1_019]) {
			const ids = [await idsAt(first, minute), await idsAt(another(), minute)];
			expect([minute, ...ids]).toEqual([minute, 2, 2]);
		}
	});

	it('is called again when its code was used, whatever other numbers are called again', async () => {
		const ringing = service();
		const start = startIn(ringing);
		const process = startProcess();
		for (const [index, number] of ['one', 'other'].entries()) {
			const first = 2 * index + 1;
			expect((await start(process, 1_001, number)).record.vendor_id).toBe(first);
			await process.cooldownAt(1_002).end(first);
			expect((await start(process, 1_003, number)).record.vendor_id).toBe(first + 1);
		}
	});

	it('is not called again because processes ask at the same moment whether its code was used', async () => {
		for (let seed = 1; seed <= 20; seed++) {
			const random = seededRandom(seed);
			const takesTurns = async () => {
				for (let turns = Math.floor(random() * 6); turns > 0; turns--) await setImmediate();
			};
			const [row, usesRow] = [new SharedRow(), new SharedRow(takesTurns)];
			const ringing = service();
			const start = startIn(ringing);
			const some = [1, 2, 3, 4].map(() => startProcess(row, usesRow));
			await start(startProcess(row, usesRow), 1_003);
			for (let minute = 1_004; minute < 1_007; minute++) {
				await Promise.all(some.map(async (process) => await start(process, minute)));
			}
			expect([seed, ringing.calls.length]).toEqual([seed, 1]);
			await startProcess(row, usesRow).cooldownAt(1_007).end(1);
			await Promise.all(some.map(async (process) => await start(process, 1_008)));
			expect([seed, ringing.calls.length]).toEqual([seed, 2]);
		}
	});

	it('is not called again by another process if the use of its code could not be stored', async () => {
		const ringing = service();
		const start = startIn(ringing);
		const [row, usesRow] = [new SharedRow(), new SharedRow()];
		const process = startProcess(row, usesRow);
		await start(process, 1_003);
		usesRow.fails = true;
		await process.cooldownAt(1_004).end(1);
		expect((await start(startProcess(row, usesRow), 1_005)).record.vendor_id).toBe(1);
		usesRow.fails = false;
		expect((await start(startProcess(row, usesRow), 1_006)).record.vendor_id).toBe(1);
		// The process itself knows.
		expect((await start(process, 1_007)).record.vendor_id).toBe(2);
	});

	it('is not called again because a code of another account was used, whose call has the same ID', async () => {
		const ringing = service();
		const start = startIn(ringing);
		const process = startProcess();
		const other = accountDigest({
			baseUrl: 'https://other.test',
			secretKey: 'key',
			serviceId: '1',
		});
		await start(process, 1_008);
		await process.cooldownAt(1_008, {}, 0, other).end(1);
		await start(process, 1_009);
		expect(ringing.calls).toHaveLength(1);
	});

	it('gets its used call back from a service that makes no other, however often it is asked', async () => {
		const process = startProcess();
		let asked = 0;
		const send = async () => {
			if (++asked > 5) throw new Error('The service is asked again and again');
			return { exists: true, vendor_id: 1 };
		};
		await process.cooldownAt(1_000).end(1);
		const start = process.cooldownAt(1_000).start('number', 10, new LostAttempts(), send);
		expect((await start).record).toEqual({ exists: true, vendor_id: 1 });
		expect(asked).toBe(2);
	});

	it('can be called by another process as soon as the service has refused', async () => {
		const [row, ringing] = [new SharedRow(), service()];
		const refuse = async () => await Promise.reject(new Error('refused'));
		const refused = startProcess(row).cooldownAt(1_009.9);
		await expect(refused.start('number', 10, new LostAttempts(), refuse)).rejects.toThrow();
		expect(row.entries).toEqual([]);
		const { record } = await startIn(ringing)(startProcess(row), 1_010.1);
		expect(record).toEqual({ exists: false, vendor_id: 1 });
		expect((await startIn(ringing)(startProcess(row), 1_019.95)).record.exists).toBe(true);
	});

	it('is called once per slot by each process while the row fails', async () => {
		const [row, ringing] = [new SharedRow(), service()];
		row.fails = true;
		const start = startIn(ringing);
		for (const minute of [1_001, 1_005, 1_009]) await start(startProcess(row), minute);
		expect(ringing.calls).toHaveLength(1);
	});
});

describe('the row of used codes', () => {
	const DAY = 24 * 60 * 60 * 1_000;
	let workflows = 0;

	function usesOn(row: SharedRow, clock = systemClock) {
		const context = contextOn(row, { workflowId: `used codes ${++workflows}` });
		const of = { capacity: MOST_LIMIT_ENTRIES, counts: 'Used codes', scope: 'workflow' as const };
		const nodeRow = new NodeRow(context, clock, () => 0, of);
		return { nodeRow, used: new UsedCalls(nodeRow, digest, clock, new ProcessUses()) };
	}

	it('is written once for a code that nobody has asked for', async () => {
		const row = new SharedRow();
		await usesOn(row).used.add(1);
		expect([row.writes, row.entries.length]).toEqual([1, 1]);
	});

	it('keeps a used code for a day, and then no longer', async () => {
		let now = 0;
		const row = new SharedRow();
		const { nodeRow, used } = usesOn(row, { ...systemClock, wallTime: () => now });
		// With one more, there are enough to remove.
		nodeRow.forgetAfter(0, Array<string>(499).fill('of others'));
		await used.add(1);
		now = DAY - 1;
		await used.add(2);
		expect(row.entries).toHaveLength(2);
		now = DAY;
		await used.add(3);
		expect(row.entries).toHaveLength(2);
	});

	it('has nothing left a day after many calls were asked for whose codes were never used', async () => {
		let now = 0;
		const clock = { ...systemClock, wallTime: () => now };
		const row = new SharedRow();
		const { used } = usesOn(row, clock);
		for (let id = 0; id < 250; id++) expect(await used.has(id)).toBe(false);
		expect(row.entries).toHaveLength(500);
		now = DAY;
		expect(await used.has('the next one')).toBe(false);
		expect(row.entries).toHaveLength(2);
	});
});
