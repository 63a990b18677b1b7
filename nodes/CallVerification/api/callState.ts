export type CallState = 'checking' | 'failed' | 'completed' | 'unknown';

/** Section 3 of the contract knows three values; any other is said to be unknown, not guessed. */
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
