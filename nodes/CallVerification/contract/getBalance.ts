import { flag, recordOf, requiredNumber, text } from './fields';
import { noParameters } from './request';

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
