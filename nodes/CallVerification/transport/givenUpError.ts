import type { GivenUp } from '../pacing/patience';
import { knownError } from '../contract/errorCodes';
import type { Failure } from './errors';
import { ServiceError } from './errors';

/**
 * For an item that is not tried, or not retried, because the run gave up. `own` is what happened to this item;
 * `mayHaveActed` is true if the service may still have acted on the request.
 */
export function givenUpError(givenUp: GivenUp, own: unknown, mayHaveActed: boolean): ServiceError {
	if (givenUp.reason === 'denial') return deniedError(givenUp);
	const last = own instanceof ServiceError ? own : givenUp.error;
	const code = last instanceof ServiceError ? last.code : undefined;
	const advice = [
		`Last error: ${last instanceof Error ? last.message : 'none'}.`,
		whatToDo(last, givenUp.retryAfterMs),
		'To wait longer, raise “Give Up After” in the request options.',
		mayHaveActed ? 'Before you repeat a call manually, check whether it was made.' : '',
	];
	return new ServiceError(
		`No usable response from the verification service since ${timeOf(givenUp.since)}, so the run gave up`,
		{ failure: 'unavailable', advice: advice.filter((part) => part !== '').join(' '), code },
	);
}

/** “The account is empty: 10 requests in a row were refused, so no more were sent”. */
function deniedError({ error, times }: GivenUp & { reason: 'denial' }): ServiceError {
	const { code, advice = '' }: Partial<ServiceError> = error instanceof ServiceError ? error : {};
	const what = knownError(code)?.meaning ?? 'The service refused';
	return new ServiceError(
		`${what}: ${times} requests in a row were refused, so no more were sent`,
		{
			failure: 'refused',
			advice,
			code,
		},
	);
}

function whatToDo(last: unknown, retryAfterMs: number | undefined): string {
	if (retryAfterMs !== undefined) {
		const seconds = Math.ceil(retryAfterMs / 1_000).toLocaleString('en-US');
		return `The service asked to wait ${seconds} s. Run the failed items again after that.`;
	}
	return failureOf(last) === 'rateLimited'
		? 'The service asked for fewer requests. Run the failed items again later, with “Requests per Second” set.'
		: 'Check whether the service is down, and run the failed items again when it is back up.';
}

function failureOf(error: unknown): Failure | undefined {
	return error instanceof ServiceError ? error.failure : undefined;
}

/** “2030-01-01 00:05:00 UTC”, because the reader may be in another time zone than the server. */
function timeOf(wallTime: number): string {
	return `${new Date(wallTime).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
