import {
	asItCame,
	flag,
	fourDigits,
	identifier,
	number,
	objectOrList,
	price,
	recordOf,
	text,
	unixTime,
} from './fields';
import { callReference } from './request';

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
