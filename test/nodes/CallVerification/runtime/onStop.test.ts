import { onStop } from '../../../../nodes/CallVerification/runtime/onStop';

describe('onStop', () => {
	it('calls everybody back who has not taken it back', () => {
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
