import { z } from 'zod';

import {
	amount,
	code,
	cost,
	flag,
	identifier,
	ipAddress,
	number,
	phoneInfo,
	requiredText,
	text,
} from './answerValue';
import { anyValue } from './anyValue';

/**
 * Section 2. Tolerant: only what identifies a record must be there, a declared type is handed out
 * wherever the value can be turned into it without loss, and everything else passes through as it
 * came. It has been paid for.
 */

export const startRecord = z
	.object({
		status: flag.optional(),
		vendor_id: identifier,
		phone: text.optional(),
		code: code.optional(),
		client: text.optional(),
		unique_request_id: text.optional(),
		exists: flag.optional(),
	})
	.passthrough();

export const callRecord = z
	.object({
		status: flag.optional(),
		vendor_id: identifier,
		init_time: number.optional(),
		call_status: number.optional(),
		unique: text.optional(),
		client: text.optional(),
		phone: text.optional(),
		code: code.optional(),
		country_code: text.optional(),
		phone_info: phoneInfo,
		cost: cost.optional(),
		balance: number.optional(),
		is_repeated: flag.optional(),
		first_vendor_id: number.optional(),
		repeatable: flag.optional(),
		repeat_times: number.optional(),
		repeated_vendor_ids: anyValue,
	})
	.passthrough();

export const repeatRecord = startRecord.extend({ free_repeated: flag.optional() }).passthrough();

export const inboundWaitingRecord = z
	.object({
		status: flag.optional(),
		vendor_id: identifier,
		phone: text.optional(),
		confirmation_number: requiredText,
	})
	.passthrough();

export const phoneCheckRecord = z
	.object({
		source: text.optional(),
		error: anyValue,
		mobile: number.optional(),
		phone: number.optional(),
		country_iso: text.optional(),
		country_code: number.optional(),
		mnc: number.optional(),
		number: number.optional(),
		provider: text.optional(),
		company: text.optional(),
		country: text.optional(),
		region: text.optional(),
		city: text.optional(),
		phone_format: text.optional(),
		cost: cost.optional(),
		balance: number.optional(),
	})
	.passthrough()
	.superRefine((record, context) => {
		// `source` only repeats what was asked; the number itself identifies a record as well.
		if (isPresent(record.source) || isPresent(record.phone)) return;
		context.addIssue({ code: 'custom', path: ['source'], message: 'is missing' });
	});

const accountLogEntry = z
	.object({
		action: text.optional(),
		user_agent: text.optional(),
		ip: ipAddress.optional(),
		created: number.optional(),
	})
	.passthrough();

export const accountRecord = z
	.object({
		id: identifier,
		telegram_id: number.optional(),
		two_auth: flag.optional(),
		email: text.optional(),
		logs: z.union([z.array(accountLogEntry), z.unknown()]).optional(),
		updated: number.optional(),
		created: number.optional(),
	})
	.passthrough();

export const serviceRecord = z
	.object({
		status: flag.optional(),
		service_status: identifier,
		name: text.optional(),
		creation_time: number.optional(),
		last_request: number.optional(),
		owner: text.optional(),
		use_direction: text.optional(),
	})
	.passthrough();

export const balanceRecord = z
	.object({
		status: flag.optional(),
		rub_balance: amount,
		tariff: text.optional(),
		tariff_name: text.optional(),
	})
	.passthrough();

function isPresent(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '';
}
