import { ServiceError } from '../transport/errors';

/** The year 5138. A larger value is in milliseconds, and the code would never expire. */
const LATEST_SECONDS = 100_000_000_000;

const MINUTE = 60_000;

/** When the call was started, in milliseconds; undefined if the service does not say. */
export function startOf(initTime: unknown): number | undefined {
	if (typeof initTime !== 'number') return undefined;
	return initTime > 0 && initTime < LATEST_SECONDS ? initTime * 1_000 : undefined;
}

/** When the code of a call expires, in milliseconds. */
export function expiryOf(initTime: unknown, validForMinutes: number): number {
	if (validForMinutes === 0) return Infinity;
	const start = startOf(initTime);
	if (start !== undefined) return start + validForMinutes * MINUTE;
	throw new ServiceError('The verification service did not return the start time of this call', {
		failure: 'refused',
		advice:
			'Without it, the node cannot tell whether the code is still valid. Set “Valid For” to 0 to accept codes of any age.',
	});
}
