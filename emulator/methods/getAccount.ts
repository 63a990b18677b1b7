import { unixSeconds } from '../clock';
import type { ServiceState } from '../serviceState';
import { defineMethod } from './method';

const LOG_LIMIT = 50;
// More logins than the service shows, so that its limit is visible.
const LOGINS = 60;
const HOUR_MS = 3_600_000;

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
			updated: unixSeconds(service.lastRequestAt ?? service.startedAt),
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
