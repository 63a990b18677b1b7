import { VirtualClock } from '../../../../harness/simulation/virtualClock';

describe('VirtualClock', () => {
	it('wakes sleepers in the order of their alarms, and equal ones in the order they went to sleep', async () => {
		const clock = new VirtualClock(0);
		const woken: string[] = [];
		const sleep = async (name: string, milliseconds: number) => {
			await clock.sleep(milliseconds);
			woken.push(name + '@' + clock.now());
		};
		await clock.runUntil(
			Promise.all([sleep('a', 20), sleep('b', 10), sleep('c', 10), sleep('d', 0)]),
		);
		expect(woken).toEqual(['d@0', 'b@10', 'c@10', 'a@20']);
	});

	it('stops exactly where it is told to', async () => {
		const clock = new VirtualClock(0);
		const woken = jest.fn();
		void clock.sleep(10).then(woken);
		await clock.advance(9);
		expect(woken).not.toHaveBeenCalled();
		await clock.advance(1);
		expect(woken).toHaveBeenCalled();
		expect(clock.now()).toBe(10);
	});

	it('reports when nothing can ever happen', async () => {
		await expect(new VirtualClock().runUntil(new Promise(() => {}))).rejects.toThrow('no alarm');
	});
});
