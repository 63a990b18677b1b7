import fc from 'fast-check';
import { shareDuplicates } from '../../../../nodes/CallVerification/pacing/shareDuplicates';

describe('shareDuplicates', () => {
	it('asks once per key and returns the answer of that key to each', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', '')), async (keys) => {
				const share = shareDuplicates<string>();
				const asked: string[] = [];
				const shared = keys.map((key) =>
					share(key, async () => {
						asked.push(key);
						return key;
					}),
				);
				expect(await Promise.all(shared.map(async ({ answer }) => await answer))).toEqual(keys);
				expect(asked).toEqual([...new Set(keys)]);
				expect(shared.map(({ isDuplicate }) => isDuplicate)).toEqual(
					keys.map((key, index) => keys.indexOf(key) < index),
				);
			}),
		);
	});

	it('passes on the failure of the first to all, without asking again', async () => {
		const share = shareDuplicates<number>();
		const ask = jest.fn(async () => await Promise.reject(new Error('refused')));
		await expect(share('a', ask).answer).rejects.toThrow('refused');
		await expect(share('a', ask).answer).rejects.toThrow('refused');
		expect(ask).toHaveBeenCalledTimes(1);
	});
});
