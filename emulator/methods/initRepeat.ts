import { REPEAT_WINDOW_MS, repeatsLeft } from '../freeRepeats';
import { refuse } from '../serviceError';
import type { VerificationCall } from '../verificationCalls';
import { startResult } from './initCall';
import { defineMethod } from './method';

export const initRepeat = defineMethod('initRepeat', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly('uid');
		const uid = args.number('uid');
		const first = service.calls.find(uid);
		if (first === undefined || first.firstVendorId !== undefined) {
			return refuse('unknownCall', `uid ${uid} is no call started by initCall`);
		}
		const now = service.clock.now();
		if (now - first.startedAt > REPEAT_WINDOW_MS) {
			refuse('repeatTooLate', 'A repeat may be requested only within five minutes of initCall');
		}
		if (repeatsLeft(first, now) === 0) refuse('repeatsUsedUp', 'Both free repeats are used');
		const repeat: VerificationCall = {
			...first,
			vendorId: service.vendorIds.next(),
			startedAt: now,
			cost: 0,
			balanceBefore: service.wallet.balance,
			firstVendorId: first.vendorId,
			repeats: [],
		};
		service.calls.add(repeat);
		first.repeats.push(repeat.vendorId);
		return { ...startResult(repeat, true), free_repeated: true };
	},
});
