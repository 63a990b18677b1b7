import type { Scheme } from './authentication';
import type { FaultKind } from './fault';
import type { InboundWait } from './inboundWaits';
import type { VerificationCall } from './verificationCalls';
import type { WebhookDelivery } from './webhookSender';

export type Outcome =
	| { result: 'pending' }
	| { result: 'success'; httpStatus: number }
	| { result: 'error'; httpStatus: number; code: number; message: string }
	| { result: 'rateLimited'; httpStatus: number }
	/** `processed` is whether the work was done, and charged, despite the fault. */
	| { result: 'fault'; fault: FaultKind; processed: boolean; httpStatus: number | undefined }
	| { result: 'closed' };

export interface LedgerRequest {
	readonly method: string;
	readonly verb: string;
	readonly scheme: Scheme | 'none' | 'several';
	/** What was sent, without the credentials. */
	readonly args: Readonly<Record<string, unknown>>;
	readonly at: number;
	readonly outcome: Outcome;
}

export interface ChargedCheck {
	readonly source: string;
	readonly valid: boolean;
	readonly cost: number;
	readonly at: number;
}

/** Everything that happened, for tests to read. */
export interface Ledger {
	readonly requests: readonly LedgerRequest[];
	readonly calls: readonly VerificationCall[];
	readonly checks: readonly ChargedCheck[];
	readonly inboundWaits: readonly Readonly<InboundWait>[];
	readonly deliveries: readonly WebhookDelivery[];
	readonly balance: number;
	readonly inFlight: number;
	readonly peakInFlight: number;
}
