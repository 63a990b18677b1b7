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

/** Section 7, by code. The contract names only 401; the others are public. */
export const ERROR_CODES: readonly ErrorCode[] = [
	{
		code: 0,
		meaning: 'This IP address is blocked',
		concerns: 'everything',
		advice: 'The service has blocked the IP address of this n8n. Ask its support why.',
	},
	{
		code: 1,
		meaning: 'The request is malformed',
		concerns: 'item',
		advice: CHECK_VALUES,
	},
	{
		code: 2,
		meaning: 'A parameter is missing or wrong',
		concerns: 'item',
		advice: CHECK_VALUES,
	},
	{
		code: WRONG_NUMBER,
		meaning: 'The phone number is wrong',
		concerns: 'item',
		advice:
			'Check the phone number and its country code. If numbers lack it, add “Default Country Code” under Options.',
	},
	{
		code: 4,
		meaning: 'The service is switched off',
		concerns: 'everything',
		advice: 'Switch the service on in your account.',
	},
	{
		code: 5,
		meaning: 'The call could not be initialized',
		concerns: 'item',
		advice: 'Check the phone number. If it is correct, try again later.',
	},
	{
		code: 9,
		meaning: 'Calls to this country are not allowed',
		concerns: 'item',
		advice: 'Allow the country in the geography settings of your account, or skip this number.',
	},
	{
		code: 10,
		meaning: 'There is no such call',
		concerns: 'item',
		advice: 'Check the call ID. The call must have been made with the same account.',
	},
	{
		code: 11,
		meaning: 'It is too late for a free repeat',
		concerns: 'item',
		advice: INSTEAD_OF_REPEATING,
	},
	{
		code: 12,
		meaning: 'The free repeats are used up',
		concerns: 'item',
		advice: INSTEAD_OF_REPEATING,
	},
	{
		code: 13,
		meaning: 'A free repeat is not possible',
		concerns: 'item',
		advice: INSTEAD_OF_REPEATING,
	},
	{
		code: 18,
		meaning: 'This number was called too often',
		concerns: 'item',
		advice:
			'Wait before you call it again: one number gets at most 4 calls a minute and 30 a day, and is then blocked for 10 hours.',
	},
	{
		code: 19,
		meaning: 'This number was called a moment ago',
		concerns: 'item',
		advice: 'Wait at least 15 seconds before you call the same number again.',
	},
	{
		code: 20,
		meaning: 'Voice calls to this country are not possible',
		concerns: 'item',
		advice: 'Choose another “Delivery” for this number.',
	},
	{
		code: 50,
		meaning: 'The hourly limit of the account is reached',
		concerns: 'everything, for now',
		advice: 'Run the failed items again in an hour, or ask the service for a higher limit.',
	},
	{
		code: 401,
		meaning: 'The service refused the key',
		concerns: 'everything',
		advice:
			'Check “Secret Key”, “Service ID” and “Authentication Scheme” in the credential. You can find the key and the ID under My services in your account.',
	},
	{
		code: 405,
		meaning: 'The method is not allowed',
		concerns: 'item',
		advice: CHECK_ADDRESS,
	},
	{
		code: 429,
		meaning: 'Too many requests',
		concerns: 'everything, for now',
		advice: 'The service is receiving too many requests. Send fewer at a time, or try again later.',
	},
	{
		code: 500,
		meaning: 'The service has an internal error',
		concerns: 'the service',
		advice: 'The service itself has a problem. Try again later.',
	},
	{
		code: 1000,
		meaning: 'The method is not available at the moment',
		concerns: 'everything, for now',
		advice: 'Run the failed items again later.',
	},
	{
		code: 1001,
		meaning: 'The account is blocked',
		concerns: 'everything',
		advice: 'Ask the support of the service why.',
	},
	{
		code: 1002,
		meaning: 'The account is empty',
		concerns: 'everything',
		advice: 'Top up your account, then run the failed items again.',
	},
	{
		code: 1003,
		meaning: 'This IP address is not allowed',
		concerns: 'everything',
		advice:
			'Your service does not allow the IP address of this n8n. Add it to the allowed addresses in your account.',
	},
	{
		code: 1004,
		meaning: 'The service is archived',
		concerns: 'everything',
		advice: 'Restore the service in your account, or enter another one in the credential.',
	},
	{
		code: 1005,
		meaning: 'The owner’s phone number is not verified',
		concerns: 'everything',
		advice: 'Verify the owner’s phone number in your account.',
	},
];

/** @param code Of the service's error object, or else an HTTP status. */
export const knownError = (code: number | undefined) =>
	ERROR_CODES.find((known) => known.code === code);
