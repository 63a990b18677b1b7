import { z } from 'zod';

import { asItCame, number, price, recordOf, text } from './fields';

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
