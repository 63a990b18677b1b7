import type { Random } from '../../seededRandom';
import { type AnswerOf, type ArgumentReader, defineMethod } from '../method';
import { ALWAYS_FAILS, findInPlan, isTestNumber, maskPhone } from '../numbers';
import { refuse } from '../refusals';
import { type CallVariant, REPEAT_WINDOW_MS, repeatsLeft, type VerificationCall } from '../state';

export const initCall = defineMethod('initCall', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly('phone', 'code', 'client', 'unique', 'voice', 'mix');
		const phone = args.phone('phone');
		const code = args.code('code');
		const client = args.shortText('client', 64) ?? '';
		const unique = args.uuid('unique');
		const variant = readVariant(args, phone);

		const earlier = unique === undefined ? undefined : service.calls.findByUnique(unique);
		if (earlier !== undefined) return startResult(earlier, true);

		const { settings } = service;
		const now = service.clock.now();
		service.numberLimits.check(phone, now, settings.numberLimits);
		const test = isTestNumber(phone);
		const cost = test ? 0 : settings.prices[variant];
		const call: VerificationCall = {
			balanceBefore: service.wallet.charge(cost),
			vendorId: service.nextVendorId(),
			phone,
			maskedPhone: maskPhone(phone, settings.maskKeepsLast),
			code: code ?? generateCode(service.codeRandom),
			client,
			unique,
			variant,
			startedAt: now,
			cost,
			test,
			failedAtOnce: phone === ALWAYS_FAILS && settings.unreachable === 'failsAtOnce',
			firstVendorId: undefined,
			repeats: [],
		};
		service.calls.add(call);
		service.numberLimits.record(phone, now);
		return startResult(call, false);
	},
});

/** What both methods answer. */
function startResult(call: VerificationCall, exists: boolean): AnswerOf<'initCall'> {
	return {
		status: !call.failedAtOnce,
		vendor_id: call.vendorId,
		phone: call.maskedPhone,
		code: call.code,
		client: call.client,
		...(call.unique === undefined ? {} : { unique_request_id: call.unique, exists }),
	};
}

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
			vendorId: service.nextVendorId(),
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

function generateCode(random: Random): string {
	return String(1 + Math.floor(random() * 9999)).padStart(4, '0');
}

function readVariant(args: ArgumentReader, phone: string): CallVariant {
	const voice = args.flag('voice');
	const mix = args.flag('mix');
	const iso = findInPlan(phone)?.country.iso;
	if (voice && iso !== 'RU' && iso !== 'KZ') {
		refuse('country', 'voice is available for Kazakhstan and Russia only');
	}
	if (mix && iso !== 'RU') refuse('country', 'mix is available for Russia only');
	if (mix) return 'mix';
	return voice ? 'voice' : 'call';
}
