import { flag, ipAddress, listOf, number, recordOf, text, unixTime } from './fields';
import { noParameters } from './request';

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
