/** One way for the service, or the network before it, to misbehave. */
export type Fault =
	| { kind: 'errorCode'; code: number; message?: string }
	| { kind: 'httpStatus'; status: number }
	/** The connection dies and nothing was done. */
	| { kind: 'resetBeforeProcessing' }
	/** The work was done and charged, but its answer never arrives. */
	| { kind: 'resetAfterProcessing' }
	/** The work was done, but only the first half of its JSON arrives. */
	| { kind: 'halfJson' }
	| { kind: 'html'; status?: number; processed?: boolean }
	| { kind: 'empty'; status?: number; processed?: boolean }
	| { kind: 'delay'; ms: number }
	| { kind: 'tooManyRequests'; retryAfterSeconds?: number; retryAfterAs?: 'seconds' | 'date' };

export interface FaultTrigger {
	/** Only this method; every method when left out. */
	method?: string;
	/** Fires this many times, then is spent; without it, until removed. */
	times?: number;
	/** Fires with this chance, from 0 to 1; without it, always. */
	probability?: number;
}

export type FaultRule = Fault & FaultTrigger;
export type FaultKind = Fault['kind'];
