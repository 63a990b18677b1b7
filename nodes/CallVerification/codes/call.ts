import { InputError } from '../contract/request';
import { ServiceError } from '../transport/errors';

/** ID of a verification call: `vendor_id` in responses, `uid` in requests. */
export type VendorId = number & { readonly __brand: 'VendorId' };

export type CallState = 'checking' | 'failed' | 'completed' | 'unknown';

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;

const ADVICE =
	'Use the “vendor_id” that “Call: Start” or “Inbound Call: Get Number to Call” returned, e.g. {{ $json.vendor_id }}.';

/** The year 5138. A larger value is in milliseconds, and the code would never expire. */
const LATEST_SECONDS = 100_000_000_000;

const MINUTE = 60_000;

/** Above 2^53 a JSON number is rounded and would identify someone else's call. */
export function readVendorId(value: unknown): VendorId {
	if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
		throw new InputError('The call ID is empty', ADVICE);
	}
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string' || !WHOLE_NUMBER.test(text.trim())) {
		throw new InputError('The call ID is not a whole number', ADVICE);
	}
	const id = Number(text);
	if (!Number.isSafeInteger(id)) {
		throw new InputError(
			`The call ID is above ${Number.MAX_SAFE_INTEGER} and would be rounded when sent to the service`,
			ADVICE,
		);
	}
	return id as VendorId;
}

/**
 * Section 3 of the contract defines three values; any other is reported as unknown, unless the record itself says that
 * the call could not be connected.
 */
export function callStateOf(call: { status?: unknown; call_status?: unknown }): CallState {
	if (call.call_status === -1) return 'checking';
	if (call.call_status === 0) return 'failed';
	if (call.call_status === 1) return 'completed';
	return call.status === false ? 'failed' : 'unknown';
}

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
