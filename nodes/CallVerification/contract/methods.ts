import { z } from 'zod';

import type { ErrorCode } from './errorCodes';
import * as field from './fields';
import { callReference, InputError, noParameters, phone, shortText } from './request';

/** One method of the service, section 4: what is sent, and what comes back. */
export interface ServiceMethod {
	/** The last part of the path. */
	readonly name: string;
	readonly verb: 'GET' | 'POST';
	/** Whether sending it twice calls nobody twice; it may be charged twice. `withKey`: only if it has `unique`. */
	readonly repeatable: 'always' | 'withKey' | 'never';
	readonly request: z.ZodTypeAny;
	readonly response: z.ZodTypeAny & { readonly fields: field.RecordFields };
	/** By code, where it means something else than for other methods. */
	readonly errors?: Readonly<Record<number, Pick<ErrorCode, 'meaning' | 'advice'>>>;
}

export const initCallParameters = z.object({
	phone,
	code: z.optional(z.string().regex(/^(?!0000)\d{4}$/)),
	client: shortText('Customer ID').optional(),
	unique: shortText('Idempotency Key').optional(),
	voice: z.boolean().optional(),
	mix: z.boolean().optional(),
});

export const initCall = {
	name: 'initCall',
	verb: 'POST',
	repeatable: 'withKey',
	request: initCallParameters.superRefine(({ phone: number, voice, mix }) => {
		const rejectUnless = (where: RegExp, problem: string) => {
			if (where.test(String(number))) return;
			throw new InputError(
				problem,
				'Choose another “Delivery” for this number, e.g. “Missed Call”.',
			);
		};
		const inBoth = '“Spoken Code” is available only for numbers in Russia and Kazakhstan';
		if (voice) rejectUnless(/^7/, inBoth);
		// The numbers of Kazakhstan begin with 76 or 77.
		if (mix) rejectUnless(/^7(?![67])/, '“Both” is available only for numbers in Russia');
	}),
	response: field.recordOf({
		status: field.flag('whether the call was started; false if the person could not be reached'),
		vendor_id: field.identifier(
			'identifier of the call; the Call ID of the other operations',
			'ucaller_id',
		),
		phone: field.text('the number that is called, masked by the service'),
		code: field.fourDigits('the code, with its leading zeros'),
		client: field.text('what was entered as Customer ID'),
		unique_request_id: field.text('the idempotency key that was sent'),
		exists: field.flag('the service knew that key already: no second call, no new cost'),
	}),
} as const;

export const getInfo = {
	name: 'getInfo',
	verb: 'POST',
	repeatable: 'always',
	request: callReference,
	response: field.recordOf({
		status: field.flag('the service accepted the request'),
		vendor_id: field.identifier('identifier of the call', 'ucaller_id'),
		init_time: field.unixTime('when the call was started'),
		call_status: field.number('-1 being checked, 0 could not be made, 1 made'),
		unique: field.text('the idempotency key, if one was sent'),
		client: field.text('what was entered as Customer ID'),
		phone: field.text('the number that was called, masked by the service'),
		code: field.fourDigits('the code, with its leading zeros'),
		country_code: field.text('country of the number, two letters'),
		phone_info: field.objectOrList('what the service knows about the number; may be empty', {
			operator: field.text('original operator of the number'),
			region: field.text('region'),
			mnp: field.text('operator the number was ported to'),
		}),
		cost: field.price(
			'what the call cost; `null` where the service names no price that is a number',
		),
		balance: field.number('balance before the call was charged'),
		is_repeated: field.flag('deprecated: the call is a repeat'),
		first_vendor_id: field.number('deprecated: the call that was repeated', 'first_ucaller_id'),
		repeatable: field.flag('deprecated: free repeats are left'),
		repeat_times: field.number('deprecated: how many free repeats are left'),
		repeated_vendor_ids: field.asItCame(
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
	response: field.recordOf({
		...initCall.response.fields,
		free_repeated: field.flag('the repeat was accepted free of charge'),
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
	response: field.recordOf({
		status: field.flag('the service accepted the request'),
		vendor_id: field.identifier(
			'identifier of the call; the Call ID of Wait, and `callId` of the event',
			'ucaller_id',
		),
		phone: field.text("the person's number, masked by the service"),
		confirmation_number: field.requiredText(
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
	response: field.recordOf(
		{
			source: field.text('the number as submitted'),
			error: field.asItCame(
				'string',
				'what is wrong with the number; only there if it is not valid',
			),
			mobile: field.number('1 for a mobile number, 0 for any other'),
			phone: field.number('the number in digits, country code first; 0 for an invalid one'),
			country_iso: field.text('country, two letters'),
			country_code: field.number('calling code of the country'),
			mnc: field.number('network code'),
			number: field.number('the number without the country code'),
			provider: field.text('operator'),
			company: field.text("the operator's company, for Russian numbers"),
			country: field.text('country name'),
			region: field.text('region, for Russian numbers'),
			city: field.text('city, for Russian numbers'),
			phone_format: field.text('the number in national format'),
			cost: field.price('what the check cost'),
			balance: field.number('balance of the account'),
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
	response: field.recordOf(
		{
			id: field.number('identifier of the account'),
			telegram_id: field.number('identifier of the connected messenger account'),
			two_auth: field.flag('two-factor login through the messenger is on'),
			email: field.text('its e-mail address'),
			logs: field.listOf('the last 50 actions', {
				action: field.text('what was done'),
				user_agent: field.text('browser'),
				ip: field.ipAddress('address it was done from'),
				created: field.unixTime('when'),
			}),
			updated: field.unixTime('last activity'),
			created: field.unixTime('when the account was created'),
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
	response: field.recordOf(
		{
			status: field.flag('the service accepted the request'),
			service_status: field.number('identifier of the service'),
			name: field.text('its name'),
			creation_time: field.unixTime('when it was created'),
			last_request: field.unixTime('its last request that was not cached'),
			owner: field.text("the owner's e-mail address"),
			use_direction: field.text('what it is used for, as entered in your account'),
		},
		['service_status', 'name'],
	),
} as const;

export const getBalance = {
	name: 'getBalance',
	verb: 'POST',
	repeatable: 'always',
	request: noParameters,
	response: field.recordOf({
		status: field.flag('the service accepted the request'),
		rub_balance: field.requiredNumber('balance in roubles'),
		tariff: field.text('code of the tariff'),
		tariff_name: field.text('name of the tariff'),
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
