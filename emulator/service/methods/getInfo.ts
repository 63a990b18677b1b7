import { unixSeconds } from '../../clock';
import type { EmulatorSettings } from '../../settings';
import { type AnswerOf, defineMethod } from '../method';
import { findInPlan, portedTo, registryEntry } from '../numbers';
import { refuse } from '../refusals';
import {
	callStatus,
	type InboundWait,
	repeatsLeft,
	type ServiceState,
	type VerificationCall,
} from '../state';

export const getInfo = defineMethod('getInfo', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly('uid');
		const uid = args.number('uid');
		const call = service.calls.find(uid);
		const { settings } = service;
		const wait = settings.inboundInGetInfo ? service.inboundWaits.find(uid) : undefined;
		if (wait !== undefined) return inboundRecord(wait, service);
		if (call === undefined) return refuse('unknownCall', `uid ${uid} is no call`);
		const now = service.clock.now();
		return {
			status: true,
			vendor_id: call.vendorId,
			init_time: unixSeconds(call.startedAt),
			call_status: callStatus(call, now, settings.callResultAfterMs),
			...repeatFields(call, now),
			...(call.unique === undefined ? {} : { unique: call.unique }),
			client: call.client,
			phone: call.maskedPhone,
			code: call.code,
			country_code: findInPlan(call.phone)?.country.iso ?? '',
			phone_info: phoneInfo(call.phone, settings.phoneInfoShape),
			cost: costOf(call, service),
			balance: call.balanceBefore,
		};
	},
});

/** The contract knows no such record. */
function inboundRecord(wait: InboundWait, { settings, clock, wallet }: ServiceState) {
	return {
		status: true,
		vendor_id: wait.vendorId,
		init_time: unixSeconds(wait.startedAt),
		call_status: inboundStatus(wait, clock.now()),
		is_repeated: false,
		repeatable: false,
		phone: wait.maskedPhone,
		country_code: findInPlan(wait.phone)?.country.iso ?? '',
		phone_info: phoneInfo(wait.phone, settings.phoneInfoShape),
		cost: wait.cost,
		balance: wallet.balance,
	};
}

function inboundStatus({ calledAt, expiresAt }: InboundWait, now: number): -1 | 0 | 1 {
	if (calledAt !== undefined) return 1;
	return now < expiresAt ? -1 : 0;
}

function repeatFields(call: VerificationCall, now: number): AnswerOf<'getInfo'> {
	const left = repeatsLeft(call, now);
	return {
		is_repeated: call.firstVendorId !== undefined,
		...(call.firstVendorId === undefined ? {} : { first_vendor_id: call.firstVendorId }),
		repeatable: left > 0,
		...(left > 0 ? { repeat_times: left } : {}),
		repeated_vendor_ids: call.repeats,
	};
}

function costOf(call: VerificationCall, { settings }: ServiceState): number | boolean {
	return settings.costShape === 'boolean' ? call.cost > 0 : call.cost;
}

interface PhoneInfo {
	operator: string;
	region: string;
	mnp: string;
}

/** `phone_info` of a number, in one of the contract's two shapes. */
function phoneInfo(
	phone: string,
	shape: EmulatorSettings['phoneInfoShape'],
): PhoneInfo | Record<string, never> | PhoneInfo[] {
	const planned = findInPlan(phone);
	// The region is a federal subject of Russia, so this is empty for other countries.
	if (planned?.country.iso !== 'RU') return shape === 'array' ? [] : {};
	const { operator, region } = registryEntry(planned);
	const info = { operator, region, mnp: portedTo(planned) ?? operator };
	return shape === 'array' ? [info] : info;
}
