/** A value the user can fix. Thrown before anything is sent, so it costs nothing. */
export class InputError extends Error {
	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
		this.name = 'InputError';
	}

	/** The name under which n8n looks for advice when its HTTP Request node gets this error. */
	get description(): string {
		return this.advice;
	}
}
