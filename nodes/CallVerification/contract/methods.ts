import { z } from 'zod';

import type { ErrorCode } from './errorCodes';
import {
	asItCame,
	flag,
	fourDigits,
	identifier,
	ipAddress,
	listOf,
	number,
	objectOrList,
	price,
	type RecordFields,
	recordOf,
	requiredNumber,
	requiredText,
	text,
	unixTime,
} from './fields';
import { callReference, noParameters, phone, reject, shortText } from './request';

/** One method of the service, section 4: what is sent, and what comes back. */
export interface ServiceMethod {
	/** The last part of the path. */
	readonly name: string;
	readonly verb: 'GET' | 'POST';
	/** Whether it is safe to send twice; `withKey`: only if it has `unique`. */
	readonly repeatable: 'always' | 'withKey' | 'never';
	readonly request: z.ZodTypeAny;
	readonly response: z.ZodTypeAny & { readonly fields: RecordFields };
	/** By code, where it means something else than for other methods. */
	readonly errors?: Readonly<Record<number, Pick<ErrorCode, 'meaning' | 'advice'>>>;
}

/** They share country code 7; the numbers of Kazakhstan begin with 76 or 77. */
const RUSSIA_AND_KAZAKHSTAN = /^7/;
const RUSSIA = /^7(?![67])/;

export const initCallParameters = z.object({
	phone,
	code: z
		.string()
		.regex(/^(?!0000)\d{4}$/)
		.optional(),
	client: shortText('Customer ID').optional(),
	unique: shortText('Idempotency Key').optional(),
	voice: z.boolean().optional(),
	mix: z.boolean().optional(),
});

export const initCall = {
	name: 'initCall',
	verb: 'POST',
	repeatable: 'withKey',
	request: initCallParameters.superRefine((request, context) => {
		const advice = 'Choose another “Delivery” for this number, e.g. “Missed Call”.';
		const rejectUnless = (where: RegExp, problem: string) => {
			if (!where.test(String(request.phone))) reject(context, problem, advice);
		};
		if (request.voice) {
			const problem = '“Spoken Code” is available only for numbers in Russia and Kazakhstan';
			rejectUnless(RUSSIA_AND_KAZAKHSTAN, problem);
		}
		if (request.mix) rejectUnless(RUSSIA, '“Both” is available only for numbers in Russia');
	}),
	response: recordOf({
		status: flag('whether the call was started; false if the person could not be reached'),
		vendor_id: identifier(
			'identifier of the call; the Call ID of the other operations',
			'ucaller_id',
		),
		phone: text('the number that is called, masked by the service'),
		code: fourDigits('the code, with its leading zeros'),
		client: text('what was entered as Customer ID'),
		unique_request_id: text('the idempotency key that was sent'),
		exists: flag('the service knew that key already: no second call, no new cost'),
	}),
} as const;

export const getInfo = {
	name: 'getInfo',
	verb: 'POST',
	repeatable: 'always',
	request: callReference,
	response: recordOf({
		status: flag('the service accepted the request'),
		vendor_id: identifier('identifier of the call', 'ucaller_id'),
		init_time: unixTime('when the call was started'),
		call_status: number('-1 being checked, 0 could not be made, 1 made'),
		unique: text('the idempotency key, if one was sent'),
		client: text('what was entered as Customer ID'),
		phone: text('the number that was called, masked by the service'),
		code: fourDigits('the code, with its leading zeros'),
		country_code: text('country of the number, two letters'),
		phone_info: objectOrList('what the service knows about the number; may be empty', {
			operator: text('original operator of the number'),
			region: text('region'),
			mnp: text('operator the number was ported to'),
		}),
		cost: price('what the call cost; `null` where the service only says that it cost something'),
		balance: number('balance before the call was charged'),
		is_repeated: flag('deprecated: the call is a repeat'),
		first_vendor_id: number('deprecated: the call that was repeated', 'first_ucaller_id'),
		repeatable: flag('deprecated: free repeats are left'),
		repeat_times: number('deprecated: how many free repeats are left'),
		repeated_vendor_ids: asItCame(
			'array',
			'deprecated: identifiers of the repeats',
			'repeated_ucaller_ids',
		),
	}),
} as const;

export const initRepeat = {
	name: 'initRepeat',
	verb: 'POST',
	repeatable: 'never',
	request: callReference,
	response: recordOf({
		...initCall.response.fields,
		free_repeated: flag('the repeat was accepted free of charge'),
	}),
	errors: {
		405: {
			meaning: 'The service no longer supports repeating a call',
			advice: 'Use “Call: Start” instead, which can send the same code.',
		},
	},
} as const;

export const inboundCallWaiting = {
	name: 'inboundCallWaiting',
	verb: 'POST',
	repeatable: 'never',
	request: z.object({ phone, callback_url: z.string().regex(/^https?:\/\/./i) }),
	response: recordOf({
		status: flag('the service accepted the request'),
		vendor_id: identifier(
			'identifier of the call; the Call ID of Wait, and `callId` of the event',
			'ucaller_id',
		),
		phone: text("the person's number, masked by the service"),
		confirmation_number: requiredText(
			'the number to call, as the service writes it: show it to the person with a plus in front',
		),
	}),
} as const;

export const checkPhone = {
	name: 'checkPhone',
	verb: 'POST',
	repeatable: 'always',
	// As typed: the service interprets it.
	request: z.object({ phone: z.string().min(1) }),
	response: recordOf(
		{
			source: text('the number as submitted'),
			error: asItCame('string', 'what is wrong with the number; only there if it is not valid'),
			mobile: number('1 for a mobile number, 0 for any other'),
			phone: number('the number in digits, country code first; 0 for an invalid one'),
			country_iso: text('country, two letters'),
			country_code: number('calling code of the country'),
			mnc: number('network code'),
			number: number('the number without the country code'),
			provider: text('operator'),
			company: text("the operator's company, for Russian numbers"),
			country: text('country name'),
			region: text('region, for Russian numbers'),
			city: text('city, for Russian numbers'),
			phone_format: text('the number in national format'),
			cost: price('what the check cost'),
			balance: number('balance of the account'),
		},
		// `source` only repeats what was sent; the number itself identifies a record as well.
		['source', 'phone'],
	),
} as const;

export const getAccount = {
	name: 'getAccount',
	verb: 'POST',
	repeatable: 'always',
	request: noParameters,
	// Nothing depends on a value, so any type is accepted.
	response: recordOf(
		{
			id: number('identifier of the account'),
			telegram_id: number('identifier of the connected messenger account'),
			two_auth: flag('two-factor login through the messenger is on'),
			email: text('its e-mail address'),
			logs: listOf('the last 50 actions', {
				action: text('what was done'),
				user_agent: text('browser'),
				ip: ipAddress('address it was done from'),
				created: unixTime('when'),
			}),
			updated: unixTime('last activity'),
			created: unixTime('when the account was created'),
		},
		['id', 'email'],
	),
} as const;

export const getService = {
	name: 'getService',
	// The contract states GET only.
	verb: 'GET',
	repeatable: 'always',
	request: noParameters,
	// Nothing depends on a value, so any type is accepted.
	response: recordOf(
		{
			status: flag('the service accepted the request'),
			service_status: number('identifier of the service'),
			name: text('its name'),
			creation_time: unixTime('when it was created'),
			last_request: unixTime('its last request that was not cached'),
			owner: text("the owner's e-mail address"),
			use_direction: text('what it is used for, as entered in your account'),
		},
		['service_status', 'name'],
	),
} as const;

export const getBalance = {
	name: 'getBalance',
	verb: 'POST',
	repeatable: 'always',
	request: noParameters,
	response: recordOf({
		status: flag('the service accepted the request'),
		rub_balance: requiredNumber('balance in roubles'),
		tariff: text('code of the tariff'),
		tariff_name: text('name of the tariff'),
	}),
} as const;

/** Every method of the service. The emulator must answer each, and operations may send no other. */
export const methods = {
	initCall,
	getInfo,
	initRepeat,
	inboundCallWaiting,
	checkPhone,
	getAccount,
	getService,
	getBalance,
} satisfies Record<string, ServiceMethod>;

export type Methods = typeof methods;

export type MethodName = keyof Methods;
