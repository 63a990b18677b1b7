/** One way in which the service, or the network in front of it, can fail. */
export type Fault =
	/** Without a message, the words are those of the table of known codes. */
	| { kind: 'errorCode'; code: number; message?: string }
	| { kind: 'httpStatus'; status: number }
	/** The connection breaks before the work is done. */
	| { kind: 'resetBeforeProcessing' }
	/** The work was done and charged, but the response never arrives. */
	| { kind: 'resetAfterProcessing' }
	/** The work was done, but only the first half of its JSON arrives. */
	| { kind: 'halfJson' }
	| { kind: 'html'; status?: number; processed?: boolean }
	| { kind: 'empty'; status?: number; processed?: boolean }
	| { kind: 'delay'; ms: number }
	| { kind: 'tooManyRequests'; retryAfterSeconds?: number; retryAfterAs?: 'seconds' | 'date' };

export interface FaultTrigger {
	/** Only for this method; without it, for every method. */
	method?: string;
	/** Fires this many times; without it, until removed. */
	times?: number;
	/** Fires with this chance, from 0 to 1; without it, always. */
	probability?: number;
}

export type FaultRule = Fault & FaultTrigger;
export type FaultKind = Fault['kind'];
