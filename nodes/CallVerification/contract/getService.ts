import { flag, number, recordOf, text, unixTime } from './fields';
import { noParameters } from './request';

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
			creation_time: unixTime('when it was created'),
			last_request: unixTime('its last request that was not cached'),
			owner: text("the owner's e-mail address"),
			use_direction: text('what it is used for, as entered in your account'),
		},
		['service_status', 'name'],
	),
} as const;
