import { unixSeconds } from '../clock';
import { defineMethod } from './method';

export const getService = defineMethod('getService', {
	// The contract has no POST for this method, so neither does the emulator.
	verbs: ['GET'],
	answer(args, service) {
		args.allowOnly();
		const identifier = Number(service.settings.serviceId);
		return {
			status: true,
			service_status: Number.isSafeInteger(identifier) ? identifier : 1,
			name: 'Emulated service',
			creation_time: unixSeconds(service.startedAt),
			last_request: unixSeconds(service.lastRequestAt ?? 0),
			owner: 'owner@example.com',
			use_direction: 'Sign-in on a web site',
		};
	},
});
