import { onStop, withAnyStop } from '../../../../nodes/CallVerification/pacing/onStop';

describe('onStop', () => {
	it('calls every callback that was not removed', () => {
		const stop = new AbortController();
		const calls: string[] = [];
		onStop(stop.signal, () => calls.push('a'));
		const forget = onStop(stop.signal, () => calls.push('b'));
		onStop(stop.signal, () => calls.push('c'));
		forget();
		expect(calls).toEqual([]);
		stop.abort();
		expect(calls).toEqual(['a', 'c']);
	});

	it('keeps a single listener for all, so that Node.js suspects no leak', () => {
		const stop = new AbortController();
		const add = jest.spyOn(stop.signal, 'addEventListener');
		for (let i = 0; i < 20; i++) onStop(stop.signal, () => {});
		expect(add).toHaveBeenCalledTimes(1);
	});

	it('never calls back without a signal', () => {
		const callback = jest.fn();
		onStop(undefined, callback)();
		expect(callback).not.toHaveBeenCalled();
	});
});

describe('withAnyStop', () => {
	it.each([0, 1])('is stopped by signal %i', async (which) => {
		const stops = [new AbortController(), new AbortController()];
		const signals = [...stops.map(({ signal }) => signal), undefined];
		await withAnyStop(signals, async (stop) => {
			expect(stop.aborted).toBe(false);
			stops[which]?.abort();
			expect(stop.aborted).toBe(true);
		});
	});

	it('starts out stopped if a signal already is', async () => {
		const signals = [undefined, AbortSignal.abort()];
		expect(await withAnyStop(signals, async (stop) => stop.aborted)).toBe(true);
	});

	it('returns the work’s result, and leaves nothing behind', async () => {
		const stop = new AbortController();
		let inner = AbortSignal.abort();
		const work = async (signal: AbortSignal) => {
			inner = signal;
			return 'done';
		};
		expect(await withAnyStop([stop.signal], work)).toBe('done');
		stop.abort();
		expect(inner.aborted).toBe(false);
		const failing = async () => await Promise.reject(new Error('no'));
		await expect(withAnyStop([], failing)).rejects.toThrow('no');
	});
});
