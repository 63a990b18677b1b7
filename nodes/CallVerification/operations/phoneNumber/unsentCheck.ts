import type { OutputRecord } from '../operation';

/**
 * The result for a number that was not sent, with every field that the service gives to an invalid one:
 * a list has the same columns in all its rows. The balance is nobody's guess: a 0 would raise alarms.
 */
export function unsentCheck(source: string, reason: string): OutputRecord {
	return {
		reason,
		source,
		mobile: 0,
		phone: 0,
		country_iso: '',
		country_code: 0,
		mnc: 0,
		number: 0,
		provider: '',
		company: '',
		country: '',
		region: '',
		city: '',
		phone_format: '',
		cost: 0,
		balance: null,
		valid: false,
	};
}
