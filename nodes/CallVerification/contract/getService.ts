import { recordOf } from './answerRecord';
import { flag, number, text } from './answerValue';
import { noParameters } from './parameter';
import type { ServiceMethod } from './serviceMethod';

export const getService = {
	name: 'getService',
	// The contract states GET only.
	verb: 'GET',
	repeatable: 'always',
	request: noParameters,
	// Nothing depends on a value, so any type is accepted.
	response: recordOf(
		{
			status: flag('the service accepted the request'),
			service_status: number('identifier of the service'),
			name: text('its name'),
			creation_time: number('when it was created, Unix time in seconds'),
			last_request: number('its last request that was not cached, Unix time in seconds'),
			owner: text("the owner's e-mail address"),
			use_direction: text('what it is used for, as entered in your account'),
		},
		['service_status', 'name'],
	),
} as const satisfies ServiceMethod;
