import { checkCode } from '../../../../../nodes/CallVerification/operations/call/checkCode';
import { ServiceError } from '../../../../../nodes/CallVerification/transport/errors';
import { VirtualClock } from '../../../../virtualClock';
import { fakeItem, run } from '../fakeItem';

const CALL = { vendor_id: 1, call_status: 1, phone: '7900*****01', code: '0042' };
const MINUTE = 60_000;

/** Compares the code of a call that was made now, some time later. */
async function check(later: number, call: object = {}) {
	const clock = new VirtualClock();
	const init_time = clock.wallTime() / 1_000;
	clock.spend(later);
	const guards = {
		digest: (...parts: unknown[]) => parts.join(),
		codeChecks: {
			check: async ({ obstacle = null }: { obstacle?: string | null }) =>
				await Promise.resolve({ reason: obstacle, attempts_left: 4 }),
		},
		cooldown: { end: async () => await Promise.resolve() },
	};
	const callGuards = async () => await Promise.resolve(guards);
	const record = { ...CALL, init_time, ...call };
	const { item } = fakeItem(() => record, { clock, more: { callGuards } });
	return await run(checkCode, item, { uid: 1, code: '0042' }, { validFor: 10 });
}

describe('a code', () => {
	it.each([
		[10 * MINUTE - 1, null],
		[10 * MINUTE, 'expired'],
	])('that is valid for ten minutes, after %i ms: %s', async (later, reason) => {
		expect(await check(later)).toMatchObject({ matched: reason === null, reason });
	});

	it.each([undefined, null, ''])('that the service gives as %j is refused', async (code) => {
		const refused = check(0, { code });
		await expect(refused).rejects.toThrow('did not return a code for this call');
		await expect(refused).rejects.toBeInstanceOf(ServiceError);
		await expect(refused).rejects.toMatchObject({ failure: 'refused' });
	});
});
