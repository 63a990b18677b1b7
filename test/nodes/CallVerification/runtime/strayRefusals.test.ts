import { StrayRefusals } from '../../../../nodes/CallVerification/runtime/strayRefusals';

const after = (...answers: Array<[times: number, refused: boolean]>) => {
	const strays = new StrayRefusals();
	for (const [times, refused] of answers) {
		for (let time = 0; time < times; time++) strays.answered(refused);
	}
	return strays;
};

/** What is thought of each refusal, when so many requests had gone well before it. */
const judge = (runs: number[], strays = new StrayRefusals()) =>
	runs.map((run) => strays.isStray(run, true));

describe('StrayRefusals', () => {
	it('takes up to nine refusals among a hundred answers for stray ones', () => {
		expect(after([9, true]).isStray(1, true)).toBe(true);
		expect(after([10, true]).isStray(1, true)).toBe(false);
		expect(after([10, true], [6, false]).isStray(1, true)).toBe(false);
		expect(after([10, true], [7, false]).isStray(1, true)).toBe(true);
	});

	it('takes only three of them for stray with more in flight than has ever gone well', () => {
		expect(after([3, true]).isStray(1, false)).toBe(true);
		expect(after([4, true]).isStray(1, false)).toBe(false);
	});

	it('knows a limit by eight refusals that came after about as many requests', () => {
		expect(judge(Array<number>(7).fill(11))).not.toContain(false);
		expect(judge(Array<number>(9).fill(11)).slice(-2)).toEqual([false, false]);
		expect(judge([10, 19, 12, 10, 18, 15, 11, 12]).at(-1)).toBe(false);
		expect(judge([10, 20, 12, 10, 18, 15, 11, 12]).at(-1)).toBe(true);
	});

	it('goes by the last eight of them', () => {
		expect(judge([90, ...Array<number>(8).fill(11)]).slice(-2)).toEqual([true, false]);
	});

	it('is not misled by refusals in a row', () => {
		expect(judge(Array<number>(8).fill(0)).at(-1)).toBe(true);
	});

	it('sees that a limit explains nothing when refusals go on at a quarter of it', () => {
		const strays = new StrayRefusals();
		const outlasted = [
			strays.outlast(Infinity, 40),
			strays.outlast(40, 11),
			strays.outlast(11, 10),
		];
		expect(outlasted).not.toContain(true);
		expect(strays.areCommon).toBe(false);
		expect(strays.outlast(10, 9)).toBe(true);
		expect(strays.areCommon).toBe(true);
	});

	it('sees it at one a second when even the first limit was low', () => {
		const strays = new StrayRefusals();
		expect([strays.outlast(Infinity, 2), strays.outlast(2, 1), strays.outlast(1, 1)]).toEqual([
			false,
			false,
			true,
		]);
	});

	it('begins anew with a limit that has fallen suddenly, as after a burst', () => {
		const afterFallTo = (limit: number) => {
			const strays = new StrayRefusals();
			strays.outlast(Infinity, 160);
			strays.outlast(160, limit);
			return strays.outlast(limit, limit);
		};
		expect([afterFallTo(11), afterFallTo(10)]).toEqual([true, false]);
	});

	it('says so once: what comes then is a limit after all', () => {
		const strays = new StrayRefusals();
		expect([strays.outlast(1, 1), strays.outlast(1, 1)]).toEqual([true, false]);
	});

	it('takes more than half of all answers for a limit, however low', () => {
		expect(after([68, true]).outlast(1, 1)).toBe(true);
		const strays = after([70, true]);
		expect(strays.outlast(1, 1)).toBe(false);
		expect(strays.areCommon).toBe(false);
	});

	it('takes up to half of all answers for stray where stray ones are common', () => {
		for (const isWithinProven of [true, false]) {
			const strays = new StrayRefusals();
			strays.outlast(1, 1);
			for (let time = 0; time < 68; time++) strays.answered(true);
			expect(strays.isStray(1, isWithinProven)).toBe(true);
			strays.answered(true);
			expect(strays.isStray(1, isWithinProven)).toBe(false);
		}
	});

	it('begins to compare anew once a limit has explained them', () => {
		const strays = new StrayRefusals();
		judge(Array<number>(7).fill(11), strays);
		strays.explained();
		expect(judge(Array<number>(8).fill(11), strays)).toEqual([
			...Array<boolean>(7).fill(true),
			false,
		]);
	});
});
