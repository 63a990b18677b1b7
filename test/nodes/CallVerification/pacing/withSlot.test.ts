import type { Limit } from '../../../../nodes/CallVerification/pacing/limit';
import { withSlot } from '../../../../nodes/CallVerification/pacing/withSlot';

function setUp() {
	const leave = jest.fn();
	const enter = jest.fn(async () => ({ leave }));
	const limit: Limit = { enter };
	return { leave, enter, limit };
}

describe('withSlot', () => {
	it('returns the result and reports success', async () => {
		const { leave, enter, limit } = setUp();
		const { signal } = new AbortController();
		const pushbackOf = jest.fn();
		const options = { pushbackOf, stop: signal, isUrgent: true };
		expect(await withSlot(limit, async () => 'done', options)).toBe('done');
		expect(enter).toHaveBeenCalledWith(signal, true);
		expect(leave.mock.calls).toEqual([[{ kind: 'ok' }]]);
		expect(pushbackOf).not.toHaveBeenCalled();
	});

	it('passes on the failure and reports what it means', async () => {
		const { leave, limit } = setUp();
		const failure = new Error('503');
		const request = async () => await Promise.reject(failure);
		const pushbackOf = jest.fn(() => ({ kind: 'overloaded' }) as const);
		await expect(withSlot(limit, request, { pushbackOf })).rejects.toBe(failure);
		expect(pushbackOf).toHaveBeenCalledWith(failure);
		expect(leave.mock.calls).toEqual([[{ kind: 'overloaded' }]]);
	});

	it('reports what the request heard about limits, whatever its outcome', async () => {
		const { leave, limit } = setUp();
		const announced = { limit: 30, remaining: 7 };
		const pushbackOf = () => ({ kind: 'rateLimited', retryAfterMs: 1 }) as const;
		await withSlot(limit, async (hear) => hear(announced), { pushbackOf });
		const refused = withSlot(
			limit,
			async (hear) => {
				hear(announced);
				throw new Error('429');
			},
			{ pushbackOf },
		);
		await expect(refused).rejects.toThrow('429');
		expect(leave.mock.calls).toEqual([
			[{ kind: 'ok', announced }],
			[{ kind: 'rateLimited', retryAfterMs: 1, announced }],
		]);
	});

	it('sends nothing before its turn has come', async () => {
		const request = jest.fn();
		const limit: Limit = {
			enter: async () => await Promise.reject(new Error('stopped')),
		};
		await expect(withSlot(limit, request, { pushbackOf: jest.fn() })).rejects.toThrow('stopped');
		expect(request).not.toHaveBeenCalled();
	});
});
