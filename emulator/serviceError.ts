export interface ErrorObject {
	status: false;
	error: string;
	code: number;
}

/** A failed request. The contract only names code 401; the other codes are the emulator's own. */
export class ServiceError extends Error {
	constructor(
		readonly code: number,
		message: string,
	) {
		super(message);
		this.name = 'ServiceError';
	}

	toObject(): ErrorObject {
		return { status: false, error: this.message, code: this.code };
	}
}

export function refuse(code: number, message: string): never {
	throw new ServiceError(code, message);
}
