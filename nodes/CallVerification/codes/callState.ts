export type CallState = 'checking' | 'failed' | 'completed' | 'unknown';

/**
 * Section 3 of the contract defines three values; any other is reported as unknown, unless the record itself says that
 * the call could not be connected.
 */
export function callStateOf(call: { status?: unknown; call_status?: unknown }): CallState {
	switch (call.call_status) {
		case -1:
			return 'checking';
		case 0:
			return 'failed';
		case 1:
			return 'completed';
		default:
			return call.status === false ? 'failed' : 'unknown';
	}
}
