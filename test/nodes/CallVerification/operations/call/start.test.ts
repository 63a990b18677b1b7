import { start } from '../../../../../nodes/CallVerification/operations/call/start';
import { ServiceError } from '../../../../../nodes/CallVerification/transport/errors';
import { VirtualClock } from '../../../../virtualClock';
import { fakeItem, run } from '../fakeItem';

const PHONE = '+7 900 000-00-01';
const RECORD = { status: true, vendor_id: 1, phone: '7900*****01', code: '0042', exists: false };
const RESULT = {
	call_status: 1,
	country_code: 'RU',
	phone_info: [{ operator: 'MTS' }],
	cost: 0.4,
};
const KEY = '7f1d2c9e-54b1-4c1c-9e0f-2b8f6a1d3c5e';

type Work = (key: string) => Promise<object>;
const guards = {
	digest: (...parts: unknown[]) => parts.join(),
	sealToken: () => 'token',
	withinLimits: async (...parts: unknown[]) => await (parts.at(-1) as () => Promise<unknown>)(),
	cooldown: {
		start: async (...parts: unknown[]) => ({ record: await (parts.at(-1) as Work)('key') }),
	},
};

/** Starts a call on a service that gives these records, or fails with these errors. */
function startOn(answers: Readonly<Record<string, unknown>>, more: object = {}) {
	const clock = new VirtualClock();
	const answer = (_request: unknown, method: string) => {
		const given = answers[method];
		if (given instanceof Error) throw given;
		return given;
	};
	const callGuards = async () => await Promise.resolve(guards);
	const fake = fakeItem(answer, {
		clock,
		more: { callGuards, idempotencyKey: () => 'key', warn: () => {}, ...more },
	});
	return {
		...fake,
		start: async (values: object, options: object = {}) =>
			await clock.runUntil(run(start, fake.item, { phone: PHONE, ...values }, { ...options })),
	};
}

describe('a call whose result is waited for', () => {
	it('comes with what the service knows of it', async () => {
		const { start: call } = startOn({ initCall: RECORD, getInfo: { vendor_id: 1, ...RESULT } });
		const output = await call({ waitForResult: true });
		expect(output).toMatchObject({ ...RECORD, ...RESULT, call_state: 'completed' });
	});

	it('has the state “unknown” if the service does not say', async () => {
		const { start: call } = startOn({ initCall: RECORD, getInfo: new Error('Down') });
		expect(await call({ waitForResult: true })).toMatchObject({
			...RECORD,
			call_state: 'unknown',
		});
	});

	it.each([[{ vendor_id: 1, ...RESULT }], [new Error('Down')]])(
		'has failed if its start says so, whatever is found out later',
		async (getInfo) => {
			const { start: call } = startOn({ initCall: { ...RECORD, status: false }, getInfo });
			expect(await call({ waitForResult: true })).toMatchObject({ call_state: 'failed' });
		},
	);
});

describe('the token of a call with a key of your own', () => {
	it.each([
		[false, '7900*****99', 'token'],
		[true, '7900*****01', null],
		['yes', '7900*****01', null],
		[null, '7900*****01', 'token'],
		[undefined, '7900*****01', 'token'],
		[null, '7900*****99', null],
		[undefined, '7900*****99', null],
	])('if “exists” is %j and the number %s: %s', async (exists, phone, verification_token) => {
		const { start: call } = startOn({ initCall: { ...RECORD, exists, phone } });
		expect(await call({}, { unique: KEY })).toMatchObject({ verification_token });
	});
});

describe('a number that was called a moment ago', () => {
	const justCalled = new ServiceError('Too soon', { failure: 'refused', advice: '', code: 19 });
	const cooldown = 5;

	it('is called again by another delivery after 15 seconds', async () => {
		const { start: call, sent, clock } = startOn({ initCall: justCalled });
		const began = clock.now();
		await expect(call({ delivery: 'voice' }, { cooldown })).rejects.toBe(justCalled);
		expect([sent.length, clock.now() - began]).toEqual([2, 15_000]);
	});

	it('is not called again once the execution is stopped', async () => {
		const { start: call, sent } = startOn({ initCall: justCalled }, { stop: AbortSignal.abort() });
		await expect(call({ delivery: 'voice' }, { cooldown })).rejects.toBe(justCalled);
		expect(sent).toHaveLength(1);
	});
});
