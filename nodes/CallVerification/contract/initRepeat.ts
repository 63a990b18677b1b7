import { flag, recordOf } from './fields';
import { initCall } from './initCall';
import { callReference } from './request';

export const initRepeat = {
	name: 'initRepeat',
	verb: 'POST',
	repeatable: 'never',
	request: callReference,
	response: recordOf({
		...initCall.response.fields,
		free_repeated: flag('the repeat was accepted free of charge'),
	}),
	errors: {
		405: {
			meaning: 'The service no longer supports repeating a call',
			advice: 'Use “Call: Start” instead, which can send the same code.',
		},
	},
} as const;
