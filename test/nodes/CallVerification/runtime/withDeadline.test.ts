import { setImmediate } from 'node:timers/promises';
import {
	DeadlineError,
	withDeadline,
} from '../../../../nodes/CallVerification/runtime/withDeadline';

function deadlineByHand() {
	const controller = new AbortController();
	const asked: number[] = [];
	const deadline = (milliseconds: number) => {
		asked.push(milliseconds);
		return controller.signal;
	};
	return { controller, asked, deadline };
}

describe('withDeadline', () => {
	it('gives the result of work that is in time', async () => {
		const { asked, deadline } = deadlineByHand();
		expect(await withDeadline(Promise.resolve('done'), 5000, deadline)).toBe('done');
		expect(asked).toEqual([5000]);
	});

	it('gives the failure of work that fails in time', async () => {
		const { deadline } = deadlineByHand();
		const failure = new Error('broken');
		await expect(withDeadline(Promise.reject(failure), 1, deadline)).rejects.toBe(failure);
	});

	it('gives up at the deadline and says what it was', async () => {
		const { controller, deadline } = deadlineByHand();
		const result = withDeadline(new Promise(() => {}), 1500, deadline);
		controller.abort();
		await expect(result).rejects.toThrow(DeadlineError);
		await expect(result).rejects.toThrow('No complete answer within 1.5 s');
		await expect(result).rejects.toMatchObject({ name: 'DeadlineError', limitMs: 1500 });
	});

	it('gives up at once when the deadline is over before it starts', async () => {
		const result = withDeadline(new Promise(() => {}), 0, () => AbortSignal.abort());
		await expect(result).rejects.toThrow(DeadlineError);
	});

	it.each([
		['result', Promise.resolve()],
		['failure', Promise.reject(new Error('broken'))],
	])('leaves no listener behind after a %s', async (_, work) => {
		const { controller, deadline } = deadlineByHand();
		const add = jest.spyOn(controller.signal, 'addEventListener');
		const remove = jest.spyOn(controller.signal, 'removeEventListener');
		await withDeadline(work, 1, deadline).catch(() => {});
		await Promise.resolve();
		expect(add).toHaveBeenCalledTimes(1);
		expect(remove).toHaveBeenCalledWith('abort', add.mock.calls[0]?.[1]);
	});

	it('hears nothing of a failure after the deadline', async () => {
		const unhandled = jest.fn();
		process.on('unhandledRejection', unhandled);
		const { controller, deadline } = deadlineByHand();
		let fail = (_error: Error) => {};
		const work = new Promise<never>((_, reject) => {
			fail = reject;
		});
		const result = withDeadline(work, 1, deadline);
		controller.abort();
		await expect(result).rejects.toThrow(DeadlineError);
		fail(new Error('late'));
		await setImmediate();
		process.off('unhandledRejection', unhandled);
		expect(unhandled).not.toHaveBeenCalled();
	});
});
