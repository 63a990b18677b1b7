import { listOf, recordOf } from './answerRecord';
import { flag, ipAddress, number, text } from './answerValue';
import { noParameters } from './parameter';
import type { ServiceMethod } from './serviceMethod';

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
				created: number('when, Unix time in seconds'),
			}),
			updated: number('last activity, Unix time in seconds'),
			created: number('when the account was created, Unix time in seconds'),
		},
		['id', 'email'],
	),
} as const satisfies ServiceMethod;
