import type { EmulatorSettings } from '../settings';

/**
 * Everything in which uCaller, the public service with this interface, answers otherwise than the contract says, or says
 * more than the contract. Nobody has tried this on the service itself: it is what others have published about it.
 */
export const ucaller: Partial<EmulatorSettings> = {
	fieldNames: {
		vendor_id: 'ucaller_id',
		first_vendor_id: 'first_ucaller_id',
		repeated_vendor_ids: 'repeated_ucaller_ids',
	},
	leftOutIfEmpty: ['client', 'exists', 'repeated_vendor_ids'],
	maskKeepsLast: 4,
	phoneInfoShape: 'array',
	eventOperators: 'null',
	unreachable: 'failsAtOnce',
	inboundInGetInfo: true,
	withdrawnMethods: ['initRepeat'],
	refusalCodes: {
		authentication: 401,
		malformed: 1,
		contentType: 1,
		tooLarge: 1,
		parameter: 2,
		phone: 3,
		country: 20,
		unknownCall: 10,
		unknownMethod: 405,
		verb: 405,
		repeatTooLate: 11,
		repeatsUsedUp: 12,
		calledTooSoon: 19,
		calledTooOften: 18,
		balance: 1002,
	},
	errorStatus: 'only429',
	requestsPerSecondLimit: 30,
	rateLimitHeaders: 'secondsLeft',
	numberLimits: { pauseMs: 15_000, perMinute: 4, perDay: 30, blockMs: 10 * 3_600_000 },
};
