import type { ArgumentReader } from '../argumentReader';
import { findInPlan } from '../numberingPlan';
import { maskPhone } from '../phoneMask';
import type { Random } from '../seededRandom';
import { refuse } from '../serviceError';
import { ALWAYS_FAILS, isTestNumber } from '../testNumbers';
import type { CallVariant, VerificationCall } from '../verificationCalls';
import { type AnswerOf, defineMethod } from './method';

const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

export const initCall = defineMethod('initCall', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly('phone', 'code', 'client', 'unique', 'voice', 'mix');
		const phone = args.phone('phone');
		const code = readCode(args);
		const client = args.shortText('client', 64) ?? '';
		const unique = readUnique(args);
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
			vendorId: service.vendorIds.next(),
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

export function startResult(call: VerificationCall, exists: boolean): AnswerOf<'initCall'> {
	return {
		status: !call.failedAtOnce,
		vendor_id: call.vendorId,
		phone: call.maskedPhone,
		code: call.code,
		client: call.client,
		...(call.unique === undefined ? {} : { unique_request_id: call.unique, exists }),
	};
}

function readCode(args: ArgumentReader): string | undefined {
	const code = args.numberOrText('code');
	if (code === undefined) return undefined;
	if (!/^\d{4}$/.test(code)) refuse('parameter', 'code must be exactly 4 digits');
	if (code === '0000') refuse('parameter', 'code must be from 0001 to 9999');
	return code;
}

function generateCode(random: Random): string {
	return String(1 + Math.floor(random() * 9999)).padStart(4, '0');
}

function readUnique(args: ArgumentReader): string | undefined {
	const unique = args.shortText('unique', 64);
	if (unique !== undefined && !UUID_V4.test(unique)) {
		refuse('parameter', 'unique must be a UUID v4');
	}
	return unique;
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
