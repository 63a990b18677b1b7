import type { IExecuteFunctions } from 'n8n-workflow';

import type { PhoneDigits } from '../../../../nodes/CallVerification/api/phone';
import { systemClock } from '../../../../nodes/CallVerification/api/systemClock';
import { CallAccount } from '../../../../nodes/CallVerification/run/callAccount';

const ACCESS = { baseUrls: ['https://service.test'], secretKey: 'key', serviceId: '1' } as const;
const PHONE = 79000000001 as PhoneDigits;

describe('the key of a cooldown', () => {
	const execution = () => {
		const memory = {};
		return (pass: number, minute: number, isTool = false) => {
			const context: Pick<
				IExecuteFunctions,
				'getContext' | 'getWorkflow' | 'getNode' | 'evaluateExpression'
			> = {
				getContext: () => memory,
				getWorkflow: () => ({ id: 'w', active: true }),
				getNode: () => ({ id: 'n' }) as ReturnType<IExecuteFunctions['getNode']>,
				evaluateExpression: () => pass,
			};
			const clock = { ...systemClock, wallTime: () => minute * 60_000 };
			const account = new CallAccount(context as IExecuteFunctions, ACCESS, clock, isTool);
			return account.cooldownKey(PHONE, 10);
		};
	};

	it('stays the same while a pass is retried, and follows the time in the next pass', () => {
		const keyIn = execution();
		const first = keyIn(0, 1_009);
		expect(keyIn(0, 1_011)).toBe(first);
		const second = keyIn(1, 1_011);
		expect(second).not.toBe(first);
		expect(second).toBe(execution()(0, 1_015));
	});

	it('stays the same for a tool, because n8n counts its retries as passes', () => {
		const keyIn = execution();
		expect(keyIn(1, 1_011, true)).toBe(keyIn(0, 1_009, true));
	});
});
