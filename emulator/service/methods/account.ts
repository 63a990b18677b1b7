import { unixSeconds } from '../../clock';
import { defineMethod, type Method } from '../method';
import type { ServiceState } from '../state';

const LOG_LIMIT = 50;
// More logins than the service shows, so that its limit is visible.
const LOGINS = 60;
const HOUR_MS = 3_600_000;

/** The contract's examples call the root but show no response; this one confirms the authentication. */
export const root: Method = {
	verbs: ['GET', 'POST'],
	answer(args) {
		args.allowOnly();
		return { status: true };
	},
};

export const getBalance = defineMethod('getBalance', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly();
		return {
			status: true,
			rub_balance: service.wallet.balance,
			tariff: 'standard',
			tariff_name: 'Standard',
		};
	},
});

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
			last_request: unixSeconds(service.lastAnswerAt ?? 0),
			owner: 'owner@example.com',
			use_direction: 'Sign-in on a web site',
		};
	},
});

export const getAccount = defineMethod('getAccount', {
	verbs: ['GET', 'POST'],
	answer(args, service) {
		args.allowOnly();
		return {
			id: 4021,
			telegram_id: 5_550_042,
			two_auth: true,
			email: 'owner@example.com',
			logs: logins(service).slice(0, LOG_LIMIT),
			updated: unixSeconds(service.lastAnswerAt ?? service.startedAt),
			created: unixSeconds(service.startedAt - LOGINS * HOUR_MS),
		};
	},
});

/** Newest first. */
function logins({ startedAt, settings }: ServiceState) {
	return Array.from({ length: LOGINS }, (_unused, index) => {
		const lastOctet = 10 + (index % 3);
		return {
			action: index % 2 === 0 ? 'login' : 'logout',
			user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Emulated/1.0',
			ip: settings.ipShape === 'string' ? `192.0.2.${lastOctet}` : ipNumber(192, 0, 2, lastOctet),
			created: unixSeconds(startedAt - index * HOUR_MS),
		};
	});
}

function ipNumber(...octets: number[]): number {
	return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}
