import type { z } from 'zod';

import {
	accountRecord,
	balanceRecord,
	callRecord,
	inboundWaitingRecord,
	phoneCheckRecord,
	repeatRecord,
	serviceRecord,
	startRecord,
} from './records';
import {
	callReference,
	checkPhoneRequest,
	inboundCallWaitingRequest,
	initCallRequest,
	noParameters,
} from './requests';

export interface ServiceMethod<
	Request extends z.ZodTypeAny = z.ZodTypeAny,
	Answer extends z.ZodTypeAny = z.ZodTypeAny,
> {
	/** The last part of the path. */
	readonly name: string;
	readonly verb: 'GET' | 'POST';
	readonly request: Request;
	readonly answer: Answer;
	/** Whether sending it twice does no harm; `withKey`: only if it carries `unique`. */
	readonly repeatable: 'always' | 'withKey' | 'never';
}

export const initCall = {
	name: 'initCall',
	verb: 'POST',
	request: initCallRequest,
	answer: startRecord,
	repeatable: 'withKey',
} as const satisfies ServiceMethod;

export const getInfo = {
	name: 'getInfo',
	verb: 'POST',
	request: callReference,
	answer: callRecord,
	repeatable: 'always',
} as const satisfies ServiceMethod;

export const initRepeat = {
	name: 'initRepeat',
	verb: 'POST',
	request: callReference,
	answer: repeatRecord,
	repeatable: 'never',
} as const satisfies ServiceMethod;

export const inboundCallWaiting = {
	name: 'inboundCallWaiting',
	verb: 'POST',
	request: inboundCallWaitingRequest,
	answer: inboundWaitingRecord,
	repeatable: 'never',
} as const satisfies ServiceMethod;

export const checkPhone = {
	name: 'checkPhone',
	verb: 'POST',
	request: checkPhoneRequest,
	answer: phoneCheckRecord,
	repeatable: 'always',
} as const satisfies ServiceMethod;

export const getAccount = {
	name: 'getAccount',
	verb: 'POST',
	request: noParameters,
	answer: accountRecord,
	repeatable: 'always',
} as const satisfies ServiceMethod;

/** The contract states GET only. */
export const getService = {
	name: 'getService',
	verb: 'GET',
	request: noParameters,
	answer: serviceRecord,
	repeatable: 'always',
} as const satisfies ServiceMethod;

export const getBalance = {
	name: 'getBalance',
	verb: 'POST',
	request: noParameters,
	answer: balanceRecord,
	repeatable: 'always',
} as const satisfies ServiceMethod;
