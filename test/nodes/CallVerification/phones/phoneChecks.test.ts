import { Budget } from '../../../../nodes/CallVerification/pacing/budget';
import type { Attempts } from '../../../../nodes/CallVerification/pacing/retry';
import {
	errorWords,
	NOTHING_KNOWN,
	PhoneChecks,
} from '../../../../nodes/CallVerification/phones/phoneChecks';
import { ServiceError } from '../../../../nodes/CallVerification/transport/errors';
import { VirtualClock } from '../../../virtualClock';

const checkEach = (
	keys: string[],
	send: (phone: string, attempts: Attempts) => Promise<Record<string, unknown>>,
	maxTotalCost = Infinity,
	hint = (_message: string) => {},
) => {
	const earlier = { budget: new Budget(), find: () => undefined, add: () => {} };
	const checks = new PhoneChecks(earlier, new VirtualClock());
	const context = {
		send: async (
			_method: unknown,
			{ phone }: { phone: string },
			{ attempts }: { attempts: Attempts },
		) => await send(phone, attempts),
		hint,
	};
	return keys.map(
		async (key) => await checks.check(context as never, { key, text: key, maxTotalCost }),
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

describe('the words of an error', () => {
	it.each([
		['Too short', 'Too short'],
		[{ code: 3 }, '{"code":3}'],
		[true, 'true'],
		[0, '0'],
		['', ''],
		[undefined, ''],
		[null, ''],
		[false, ''],
	])('%j are %j', (error, words) => {
		expect(errorWords(error)).toBe(words);
	});
});

describe('a number that is refused as a wrong one', () => {
	it('is an invalid one, with all fields of a record, of which nothing is known', async () => {
		const [check] = checkEach(['1'], async () => {
			const refused = { failure: 'refused', advice: '', code: 3, words: 'Too short' } as const;
			return await Promise.reject(new ServiceError('Wrong', refused));
		});
		const texts = ['country_iso', 'provider', 'company', 'country', 'region', 'city'];
		const numbers = ['mobile', 'phone', 'country_code', 'mnc', 'number', 'cost'];
		expect((await check)?.result).toStrictEqual({
			valid: false,
			reason: 'Too short',
			source: '1',
			phone_e164: '',
			...Object.fromEntries(texts.map((name) => [name, ''])),
			...Object.fromEntries(numbers.map((name) => [name, 0])),
			phone_format: '',
			balance: null,
		});
	});

	it('has its source and its error elsewhere', () => {
		expect(Object.keys(NOTHING_KNOWN)).not.toContain('source');
		expect(Object.keys(NOTHING_KNOWN)).not.toContain('error');
	});
});

describe('Max Total Cost', () => {
	const ADVICE = 'Raise it, or check the remaining numbers in another run.';

	it.each([
		[
			'is spent',
			async () => ({ cost: 0.1 }),
			{
				message: 'The checks of this run have cost 0.1, so this number was not checked',
				advice: `“Max Total Cost” is 0.1. ${ADVICE}`,
			},
			false,
		],
		[
			'may be spent',
			async (phone: string, { lost }: Attempts) => {
				if (phone === '2') lost();
				return { cost: 0.05 };
			},
			{
				message:
					'The checks of this run may have cost 0.15, so no further request was sent for this number',
				advice: `“Max Total Cost” is 0.1. A request whose response was lost or has no readable price counts as the highest price so far. ${ADVICE}`,
			},
			false,
		],
		[
			'may be spent, and no price is known',
			async () => ({}),
			{
				message: 'No check of this run has returned a price, so this number was not checked',
				advice:
					'“Max Total Cost” is 0.1, and an earlier check may have been charged. Try again later. If the service never returns a price, set the limit to 0 and check fewer numbers at a time.',
			},
			true,
		],
	])('says what to do if it %s', async (_what, send, expected, isHinted) => {
		const hint = jest.fn();
		const results = await Promise.allSettled(checkEach(['1', '2', '3', '4'], send, 0.1, hint));
		expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: expected });
		expect(hint.mock.calls.length > 0).toBe(isHinted);
	});
});
