import { NodeRow } from '../../../../nodes/CallVerification/codes/nodeRow';
import { contextOn, SharedRow } from './sharedRow';

const CLOCK = { now: () => 0, wallTime: () => 0, sleep: async (_milliseconds: number) => {} };

let nodes = 0;

function rowOf(
	row: SharedRow,
	{ clock = CLOCK, counts = 'Calls', warn = (_warning: string) => {}, capacity = 10 } = {},
): NodeRow {
	const context = contextOn(row, { nodeId: `node ${++nodes}`, warn });
	return new NodeRow(context, clock, () => 1, { capacity, counts, scope: 'node' });
}

describe('a row that cannot be used', () => {
	it.each(['Calls', 'Code attempts'])(
		'leaves the process to count alone, and says so once in a run: %s',
		async (counts) => {
			const row = new SharedRow();
			row.fails = true;
			const warnings: string[] = [];
			const alone = rowOf(row, { counts, warn: (warning) => warnings.push(warning) });
			for (let time = 0; time < 3; time++) {
				expect(
					await alone.inTurn('alone', async () => {
						await alone.add(['entry']);
						return 'together';
					}),
				).toBe('alone');
			}
			expect(await alone.isFull()).toBe(false);
			expect(warnings).toEqual([
				`${counts} could not be stored in n8n’s database. Until this works again, each n8n process counts separately.`,
			]);
		},
	);

	it('is used as soon as it works again', async () => {
		const row = new SharedRow();
		row.fails = true;
		const again = rowOf(row);
		const task = async () => (await again.add(['entry'])).has('entry');
		expect(await again.inTurn(false, task)).toBe(false);
		row.fails = false;
		expect(await again.inTurn(false, task)).toBe(true);
	});
});

describe('a row that is slow', () => {
	it.each([
		[0, 0],
		[10, 30],
		[300, 900],
		[5_000, 1_000],
	])('whose writes take %i ms is read again after %i ms', async (writeTakes, pause) => {
		let now = 0;
		const pauses: number[] = [];
		const clock = {
			...CLOCK,
			now: () => now,
			sleep: async (milliseconds: number) => {
				pauses.push(milliseconds);
			},
		};
		const slow = rowOf(new SharedRow(async () => void (now += writeTakes)), { clock });
		await slow.add(['entry']);
		await slow.letOthersWrite();
		expect(pauses).toEqual(pause === 0 ? [] : [pause]);
	});
});

describe('what no longer counts', () => {
	const entries = (name: string, count: number) =>
		Array.from({ length: count }, (_none, index) => `${name} ${index}`);

	it('is removed from the row once there are 500 entries of it, in one write, and nothing else is', async () => {
		let now = 0;
		const shared = new SharedRow();
		const row = rowOf(shared, { clock: { ...CLOCK, wallTime: () => now }, capacity: 10_000 });
		const [early, late] = [entries('early', 500), entries('late', 500)];
		const writesAt = async (time: number) => {
			now = time;
			const before = shared.writes;
			await row.inTurn(undefined, async () => {});
			return shared.writes - before;
		};
		await row.add([...early, ...late]);
		row.forgetAfter(10, early.slice(1));
		row.forgetAfter(20, late);
		expect(await writesAt(10)).toBe(0);
		row.forgetAfter(10, early.slice(0, 1));
		expect(await writesAt(9)).toBe(0);
		expect([await writesAt(10), await writesAt(10)]).toEqual([1, 0]);
		expect(shared.entries).toEqual(late);
		expect([await writesAt(20), await writesAt(20)]).toEqual([1, 0]);
		expect(shared.entries).toEqual([]);
	});

	it('is left to n8n if 2,000 others are remembered since', async () => {
		const shared = new SharedRow();
		const row = rowOf(shared);
		await row.add(['first', 'other']);
		row.forgetAfter(0, ['first']);
		for (let count = 0; count < 2_000; count++) row.forgetAfter(0, ['other']);
		await row.inTurn(undefined, async () => {});
		expect(shared.entries).toEqual(['first']);
	});

	it('is removed by the node whose row it is in, not by another one of the workflow', async () => {
		const [shared, other] = [new SharedRow(), new SharedRow()];
		const [row, another] = [rowOf(shared, { capacity: 10_000 }), rowOf(other)];
		await row.add(entries('old', 500));
		row.forgetAfter(0, entries('old', 500));
		await another.inTurn(undefined, async () => {});
		expect([shared.entries.length, other.writes]).toEqual([500, 0]);
		await row.inTurn(undefined, async () => {});
		expect(shared.entries).toEqual([]);
	});
});

describe('the row of a workflow', () => {
	it('loses nothing of two nodes that write at the same moment', async () => {
		const shared = new SharedRow();
		const of = { capacity: 10, counts: 'Used codes', scope: 'workflow' as const };
		await Promise.all(
			['start', 'check'].map(async (nodeId) => {
				const row = new NodeRow(contextOn(shared, { nodeId }), CLOCK, () => 1, of);
				await row.inTurn(undefined, async () => void (await row.add([nodeId])));
			}),
		);
		expect(shared.entries).toEqual(['start', 'check']);
	});
});
