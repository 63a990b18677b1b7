import { CallsPerHour } from '../../api/callsPerHour';
import type { Failure } from '../../api/errors';
import { InputError, ServiceError } from '../../api/errors';
import { settle } from '../../runtime/settled';

/** After these it is certain that no call was made. */
const NOT_CALLED: readonly Failure[] = ['unreachable', 'insecure', 'throttled', 'refused'];

const calls = new CallsPerHour();

interface CallToLimit {
	readonly node: string;
	/** The idempotency key of the call. */
	readonly key: string;
	/** 0: no limit. */
	readonly most: number;
	/** Milliseconds. */
	readonly now: number;
}

/** Starts the call, unless the node has started as many as it may within the last hour. */
export async function withinCallLimit<T>(
	{ node, key, most, now }: CallToLimit,
	start: () => Promise<T>,
): Promise<T> {
	if (most === 0) return await start();
	if (!calls.claim(node, key, most, now)) {
		throw new InputError(
			'This node has started as many calls as it may within an hour, so the number was not called',
			`“Max Calls per Hour” is ${most}. Raise it, or try again later.`,
		);
	}
	const result = await settle(start);
	if (result.ok) return result.value;
	const { error } = result;
	const isCertain = error instanceof ServiceError && NOT_CALLED.includes(error.failure);
	if (isCertain) calls.release(node, key);
	throw error;
}
