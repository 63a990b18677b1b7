/** Work that never started because the run was stopped: neither done nor failed. */
export class StoppedError extends Error {
	constructor() {
		super('The run was stopped before this could start');
		this.name = 'StoppedError';
	}
}

export function throwIfStopped(stop: AbortSignal | undefined): void {
	if (stop?.aborted) throw new StoppedError();
}
