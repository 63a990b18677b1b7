export interface ErrorObject {
	status: false;
	error: string;
	code: number;
}

/** Why a request is refused. */
export type Refusal =
	| 'authentication'
	| 'malformed'
	| 'contentType'
	| 'tooLarge'
	| 'parameter'
	| 'phone'
	| 'country'
	| 'unknownCall'
	| 'unknownMethod'
	| 'verb'
	| 'repeatTooLate'
	| 'repeatsUsedUp'
	| 'calledTooSoon'
	| 'calledTooOften'
	| 'balance';

/** The code that a service has for each refusal. */
export type RefusalCodes = Readonly<Record<Refusal, number>>;

/** The contract only names code 401; the other codes are the emulator's own. */
export const CONTRACT_CODES: RefusalCodes = {
	authentication: 401,
	malformed: 400,
	contentType: 415,
	tooLarge: 413,
	parameter: 400,
	phone: 400,
	country: 400,
	unknownCall: 404,
	unknownMethod: 404,
	verb: 405,
	repeatTooLate: 400,
	repeatsUsedUp: 400,
	calledTooSoon: 400,
	calledTooOften: 400,
	balance: 402,
};

/** A failed request. Its code depends on the service that is played. */
export class ServiceError extends Error {
	constructor(
		readonly refusal: Refusal,
		message: string,
	) {
		super(message);
		this.name = 'ServiceError';
	}
}

export function refuse(refusal: Refusal, message: string): never {
	throw new ServiceError(refusal, message);
}

export function errorObject(code: number, message: string): ErrorObject {
	return { status: false, error: message, code };
}
