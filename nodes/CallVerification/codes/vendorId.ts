import { InputError } from '../contract/request';

/** ID of a verification call: `vendor_id` in responses, `uid` in requests. */
export type VendorId = number & { readonly __brand: 'VendorId' };

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;

const ADVICE =
	'Use the “vendor_id” that “Call: Start” or “Inbound Call: Get Number to Call” returned, e.g. {{ $json.vendor_id }}.';

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
