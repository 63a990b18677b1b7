import { Budget } from '../../../../nodes/CallVerification/pacing/budget';
import { PhoneChecks } from '../../../../nodes/CallVerification/phones/phoneChecks';
import { VirtualClock } from '../../../virtualClock';

const checkEach = (keys: string[], send: (phone: string) => Promise<Record<string, unknown>>) => {
	const earlier = { budget: new Budget(), find: () => undefined, add: () => {} };
	const checks = new PhoneChecks(earlier, new VirtualClock());
	const context = {
		send: async (_method: unknown, { phone }: { phone: string }) => await send(phone),
		hint: () => {},
	};
	return keys.map(
		async (key) => await checks.check(context as never, { key, text: key, maxTotalCost: Infinity }),
	);
};

describe('equal numbers', () => {
	it('are sent once, and each item gets the result of its number', async () => {
		const sent: string[] = [];
		const checks = checkEach(['1', '2', '1', '1'], async (phone) => {
			sent.push(phone);
			return { source: phone, cost: 0.5 };
		});
		expect(
			(await Promise.all(checks)).map(({ result, isDuplicate }) => [result.source, isDuplicate]),
		).toEqual([
			['1', false],
			['2', false],
			['1', true],
			['1', true],
		]);
		expect(sent).toEqual(['1', '2']);
	});

	it('share a failure, too', async () => {
		const send = jest.fn(async () => await Promise.reject(new Error('refused')));
		for (const check of checkEach(['1', '1'], send)) {
			await expect(check).rejects.toThrow('refused');
		}
		expect(send).toHaveBeenCalledTimes(1);
	});
});

describe('the reason of a result', () => {
	it.each([
		['why a number is invalid', { error: 'too short' }, 'too short'],
		['empty for a valid number', {}, ''],
	])('is %s, whatever else the service calls a reason', async (_, said, reason) => {
		const [check] = checkEach(['1'], async () => ({ source: '1', reason: 7, ...said }));
		expect((await check)?.result.reason).toBe(reason);
	});
});
