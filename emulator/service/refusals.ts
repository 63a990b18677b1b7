import type { Refusal } from '../settings';

export interface ErrorObject {
	status: false;
	error: string;
	code: number;
}

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
