import type { INodeProperties } from 'n8n-workflow';

import { CallsPerHour } from '../api/callsPerHour';
import { InputError } from '../api/errors';
import type { Attempts } from '../runtime/attempts';
import { settle, unsettle } from '../runtime/settled';
import { wholeNumber } from './parameterValue';

const MOST = 10_000;

export const maxCallsPerHourField: INodeProperties = {
	displayName: 'Max Calls per Hour',
	name: 'maxCallsPerHour',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MOST },
	default: 0,
	builderHint: {
		propertyHint:
			'Caps what an attack can cost. Set it in every workflow that strangers can start.',
	},
	description:
		'How many calls this node may start per hour. Further calls are refused before they cost anything. Each n8n process counts separately. Set to 0 for no limit.',
};

export const maxCallsPerHour = wholeNumber('Max Calls per Hour', MOST).optional().default(0);

const calls = new CallsPerHour();

interface CallToLimit {
	readonly node: string;
	/** The idempotency key of the call, or a new object if the method has none. */
	readonly key: string | object;
	/** 0: no limit. */
	readonly most: number;
	/** Milliseconds. */
	readonly now: number;
}

/** Starts the call unless the node has reached its limit for the last hour. What cannot have called does not count. */
export async function withinCallLimit<T>(
	{ node, key, most, now }: CallToLimit,
	start: (attempts: Attempts) => Promise<T>,
): Promise<T> {
	let isLost = false;
	const attempts = { lost: () => void (isLost = true) };
	if (most === 0) return await start(attempts);
	if (!calls.claim(node, key, most, now)) {
		throw new InputError(
			'This node has reached its limit of calls within an hour, so the call was not started',
			`“Max Calls per Hour” is ${most}. Raise it, or try again later.`,
		);
	}
	const result = await settle(async () => await start(attempts));
	if (!result.ok && !isLost) calls.release(node, key);
	return unsettle(result);
}
