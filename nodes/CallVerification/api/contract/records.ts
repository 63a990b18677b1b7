import { listOf, recordOf } from './answerRecord';
import {
	amount,
	asItCame,
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

/**
 * Section 2. Tolerant: only what identifies a record must be there, a declared type is handed out
 * wherever the value can be turned into it without loss, and everything else passes through as it
 * came. It has been paid for.
 */

const startFields = {
	status: flag,
	vendor_id: identifier,
	phone: text,
	code,
	client: text,
	unique_request_id: text,
	exists: flag,
};

export const startRecord = recordOf(startFields);

export const callRecord = recordOf({
	status: flag,
	vendor_id: identifier,
	init_time: number,
	call_status: number,
	unique: text,
	client: text,
	phone: text,
	code,
	country_code: text,
	phone_info: phoneInfo,
	cost,
	balance: number,
	is_repeated: flag,
	first_vendor_id: number,
	repeatable: flag,
	repeat_times: number,
	repeated_vendor_ids: asItCame,
});

export const repeatRecord = recordOf({ ...startFields, free_repeated: flag });

export const inboundWaitingRecord = recordOf({
	status: flag,
	vendor_id: identifier,
	phone: text,
	confirmation_number: requiredText,
});

export const phoneCheckRecord = recordOf(
	{
		source: text,
		error: asItCame,
		mobile: number,
		phone: number,
		country_iso: text,
		country_code: number,
		mnc: number,
		number: number,
		provider: text,
		company: text,
		country: text,
		region: text,
		city: text,
		phone_format: text,
		cost,
		balance: number,
	},
	// `source` only repeats what was asked; the number itself identifies a record as well.
	['source', 'phone'],
);

const accountLogEntry = {
	action: text,
	user_agent: text,
	ip: ipAddress,
	created: number,
};

export const accountRecord = recordOf({
	id: identifier,
	telegram_id: number,
	two_auth: flag,
	email: text,
	logs: listOf(accountLogEntry),
	updated: number,
	created: number,
});

export const serviceRecord = recordOf({
	status: flag,
	service_status: identifier,
	name: text,
	creation_time: number,
	last_request: number,
	owner: text,
	use_direction: text,
});

export const balanceRecord = recordOf({
	status: flag,
	rub_balance: amount,
	tariff: text,
	tariff_name: text,
});
