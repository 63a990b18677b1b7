import type { INodeProperties } from 'n8n-workflow';

import { CallsPerHour } from './callsPerHour';
import { InputError } from '../contract/request';
import type { LostAttempts } from '../pacing/retry';
import { settle, unsettle } from '../pacing/settled';
import type { CallGuards } from './callGuards';
import { plainText, wholeNumber } from '../run/parameterValue';

const MOST = 10_000;
const DEFAULT_PER_KEY = 5;

const limitKeyField: INodeProperties = {
	displayName: 'Limit Key',
	name: 'limitKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. 203.0.113.7',
	builderHint: {
		propertyHint:
			'An expression for who asks for the call, e.g. the visitor’s IP address as your reverse proxy reports it, or your site’s session ID. Never a value that a visitor can choose.',
	},
	description:
		'Who asks for the call, as an expression: e.g. the visitor’s IP address or session. Each key may start only a few calls per hour, so that one visitor cannot use up “Max Calls per Hour” for everyone.',
};

const maxCallsPerHourField: INodeProperties = {
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
		'How many calls this node may start per hour. Further calls are rejected before they cost anything. Each n8n process counts separately. Set to 0 for no limit.',
};

const maxCallsPerKeyField: INodeProperties = {
	displayName: 'Max Calls per Hour and Key',
	name: 'maxCallsPerKey',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MOST },
	default: DEFAULT_PER_KEY,
	description:
		'How many calls this node may start per hour for the same “Limit Key”. Has no effect without a limit key. Each n8n process counts separately. Set to 0 for no limit.',
};

/** In the order of their names, as n8n's rules for options demand. */
export const callLimitFields = [limitKeyField, maxCallsPerHourField, maxCallsPerKeyField];

export const callLimitOptions = {
	limitKey: plainText('Limit Key').optional(),
	maxCallsPerHour: wholeNumber('Max Calls per Hour', MOST).optional().default(0),
	maxCallsPerKey: wholeNumber('Max Calls per Hour and Key', MOST)
		.optional()
		.default(DEFAULT_PER_KEY),
};

export interface CallLimits {
	readonly limitKey?: string;
	readonly maxCallsPerHour: number;
	readonly maxCallsPerKey: number;
}

interface CallToLimit {
	readonly account: Pick<CallGuards, 'nodeKey' | 'digest'>;
	readonly limits: CallLimits;
	/** The idempotency key of the call, or a new object if the method has none. */
	readonly key: string | object;
	/** Milliseconds. */
	readonly now: number;
	/** A call that failed counts if an attempt was lost. */
	readonly attempts: LostAttempts;
}

interface Limit {
	readonly counter: string;
	/** 0: no limit. */
	readonly most: number;
	readonly problem: string;
	readonly field: string;
}

const calls = new CallsPerHour();

/** Starts the call unless a limit for the last hour is reached. What cannot have called does not count. */
export async function withinCallLimits<T>(
	{ account, limits, key, now, attempts }: CallToLimit,
	start: () => Promise<T>,
): Promise<T> {
	const claimed: Limit[] = [];
	const release = () => claimed.forEach(({ counter }) => calls.release(counter, key));
	for (const limit of limitsFor(account, limits)) {
		if (calls.claim(limit.counter, key, limit.most, now)) {
			claimed.push(limit);
			continue;
		}
		release();
		throw new InputError(
			limit.problem,
			`“${limit.field}” is ${limit.most}. Raise it, or try again later.`,
		);
	}
	const result = await settle(start);
	if (!result.ok && !attempts.any) release();
	return unsettle(result);
}

/** The key first: whoever has used up their own calls is not told about those of others. */
function limitsFor({ nodeKey, digest }: CallToLimit['account'], limits: CallLimits): Limit[] {
	const { limitKey, maxCallsPerHour, maxCallsPerKey } = limits;
	return [
		{
			counter: `${nodeKey} ${digest('limit key', limitKey ?? '')}`,
			most: limitKey === undefined ? 0 : maxCallsPerKey,
			problem:
				'This limit key has reached its limit of calls within an hour, so the call was not started',
			field: 'Max Calls per Hour and Key',
		},
		{
			counter: nodeKey,
			most: maxCallsPerHour,
			problem:
				'This node has reached its limit of calls within an hour, so the call was not started',
			field: 'Max Calls per Hour',
		},
	].filter(({ most }) => most > 0);
}
