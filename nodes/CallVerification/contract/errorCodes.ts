/** Whether other requests are worth sending. “everything” lasts until somebody changes something. */
export type Concern = 'item' | 'everything' | 'everything, for now' | 'the service';

export interface ErrorCode {
	readonly code: number;
	/** What happened, as the start of a sentence. Shown where the service itself sends no words. */
	readonly meaning: string;
	readonly concerns: Concern;
	readonly advice: string;
}

export const WRONG_NUMBER = 3;

const INSTEAD_OF_REPEATING = 'Use “Call: Start” instead, which can send the same code.';
const CHECK_VALUES = 'Check the values of this item.';
export const CHECK_ADDRESS =
	'Check the base URL in the credential, and the call ID if the operation takes one.';

/** Section 7: meaning, then advice from the second sentence on. The contract names only 401; the others are public. */
const CODES: Record<Concern, Record<number, string>> = {
	item: {
		1: `The request is malformed. ${CHECK_VALUES}`,
		2: `A parameter is missing or wrong. ${CHECK_VALUES}`,
		[WRONG_NUMBER]:
			'The phone number is wrong. Check the phone number and its country code. If numbers lack it, add “Default Country Code” under Options.',
		5: 'The call could not be initialized. Check the phone number. If it is correct, try again later.',
		9: 'Calls to this country are not allowed. Allow the country in the geography settings of your account, or skip this number.',
		10: 'There is no such call. Check the call ID. The call must have been made with the same account.',
		11: `It is too late for a free repeat. ${INSTEAD_OF_REPEATING}`,
		12: `The free repeats are used up. ${INSTEAD_OF_REPEATING}`,
		13: `A free repeat is not possible. ${INSTEAD_OF_REPEATING}`,
		18: 'This number was called too often. Wait before you call it again: one number gets at most 4 calls a minute and 30 a day, and is then blocked for 10 hours.',
		19: 'This number was called a moment ago. Wait at least 15 seconds before you call the same number again.',
		20: 'Voice calls to this country are not possible. Choose another “Delivery” for this number.',
		405: `The method is not allowed. ${CHECK_ADDRESS}`,
	},
	everything: {
		0: 'This IP address is blocked. The service has blocked the IP address of this n8n. Ask its support why.',
		4: 'The service is switched off. Switch the service on in your account.',
		401: 'The service refused the key. Check “Secret Key”, “Service ID” and “Authentication Scheme” in the credential. You can find the key and the ID under My services in your account.',
		1001: 'The account is blocked. Ask the support of the service why.',
		1002: 'The account is empty. Top up your account, then run the failed items again.',
		1003: 'This IP address is not allowed. Your service does not allow the IP address of this n8n. Add it to the allowed addresses in your account.',
		1004: 'The service is archived. Restore the service in your account, or enter another one in the credential.',
		1005: 'The owner’s phone number is not verified. Verify the owner’s phone number in your account.',
	},
	'everything, for now': {
		50: 'The hourly limit of the account is reached. Run the failed items again in an hour, or ask the service for a higher limit.',
		429: 'Too many requests. The service is receiving too many requests. Send fewer at a time, or try again later.',
		1000: 'The method is not available at the moment. Run the failed items again later.',
	},
	'the service': {
		500: 'The service has an internal error. The service itself has a problem. Try again later.',
	},
};

export const ERROR_CODES: readonly ErrorCode[] = Object.entries(CODES)
	.flatMap(([concerns, codes]) =>
		Object.entries(codes).map(([code, sentences]) => {
			const [meaning = '', advice = ''] = sentences.split(/\. (.*)/);
			return { code: Number(code), meaning, concerns: concerns as Concern, advice };
		}),
	)
	.sort((one, other) => one.code - other.code);

/** @param code Of the service's error object, or else an HTTP status. */
export const knownError = (code: number | undefined) =>
	ERROR_CODES.find((known) => known.code === code);
