import {
	type Failure,
	givenUpError,
	ServiceError,
} from '../../../../nodes/CallVerification/transport/errors';
import { StoppedError } from '../../../../nodes/CallVerification/pacing/stop';

const SINCE = Date.UTC(2030, 0, 1, 14, 3, 20);

const failed = (failure: Failure, code?: number) =>
	new ServiceError('It said no', { failure, advice: 'Do this.', code });

const noResponse = (error: unknown, retryAfterMs?: number) =>
	({ kind: 'noResponse', error, since: SINCE, retryAfterMs }) as const;

describe('the error of an item that was given up', () => {
	it('says since when, the last error, and what to do', () => {
		const error = givenUpError(noResponse(failed('unavailable', 503)), new StoppedError(), false);
		expect(error.message).toBe(
			'No usable response from the verification service since 2030-01-01 14:03:20 UTC, so the run gave up',
		);
		expect(error.advice).toBe(
			'Last error: It said no. Check whether the service is down, and run the failed items again when it is back up. To wait longer, raise “Give Up After” in the request options.',
		);
		expect(error).toMatchObject({ failure: 'unavailable', code: 503 });
	});

	it('asks for patience where the service wants fewer requests', () => {
		expect(givenUpError(noResponse(failed('rateLimited', 429)), undefined, false).advice).toContain(
			'The service asked for fewer requests. Run the failed items again later, with “Requests per Second” set.',
		);
	});

	it('names the time that the service asked for', () => {
		const error = givenUpError(noResponse(failed('rateLimited', 429), 3_600_000), undefined, false);
		expect(error.advice).toContain(
			'The service asked to wait 3,600 s. Run the failed items again after',
		);
	});

	it('says what happened to the item itself, if anything did', () => {
		const own = new ServiceError('Timed out', { failure: 'unanswered', advice: '' });
		const { advice, code } = givenUpError(noResponse(failed('rateLimited', 429)), own, true);
		expect(advice).toContain('Last error: Timed out. Check whether the service is down');
		expect(advice).toContain('check whether it was made');
		expect(code).toBeUndefined();
	});

	it('does not suggest looking up a call that cannot have been made', () => {
		const { advice } = givenUpError(noResponse(failed('unanswered')), failed('unanswered'), false);
		expect(advice).not.toContain('whether it was made');
	});

	it.each([
		[401, 'The service refused the key'],
		[1002, 'The account is empty'],
	])('says in its own words why everything was refused with code %i', (code, what) => {
		const reason = { kind: 'refusesAll', error: failed('refused', code), times: 10 } as const;
		expect(givenUpError(reason, new StoppedError(), false)).toMatchObject({
			message: `${what}: 10 requests in a row were refused, so no more were sent`,
			advice: 'Do this.',
			code,
			failure: 'refused',
		});
		const { advice } = givenUpError(reason, new StoppedError(), true);
		expect(advice).toBe('Do this. Before you repeat a call manually, check whether it was made.');
	});
});
