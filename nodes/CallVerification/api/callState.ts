export type CallState = 'checking' | 'failed' | 'completed' | 'unknown';

/** Section 3 of the contract defines three values; any other is reported as unknown. */
export function callStateOf(callStatus: unknown): CallState {
	switch (callStatus) {
		case -1:
			return 'checking';
		case 0:
			return 'failed';
		case 1:
			return 'completed';
		default:
			return 'unknown';
	}
}
