import { recordOf } from './answerRecord';
import { flag, requiredNumber, text } from './answerValue';
import { noParameters } from './parameter';
import type { ServiceMethod } from './serviceMethod';

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
} as const satisfies ServiceMethod;
