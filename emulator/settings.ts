export interface Prices {
	call: number;
	voice: number;
	mix: number;
	check: number;
	/** Charged for a number that `checkPhone` finds invalid. */
	invalidCheck: number;
	inbound: number;
}

/** How often one number may be called. */
export interface CallsPerNumber {
	/** The shortest time between two calls. */
	pauseMs: number;
	perMinute: number;
	perDay: number;
	/** How long a number is blocked that was to be called more often. */
	blockMs: number;
}

export interface Clock {
	/** Milliseconds since the Unix epoch. */
	now(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Why the service refuses a request. */
export type Refusal =
	| 'authentication'
	| 'malformed'
	| 'contentType'
	| 'tooLarge'
	| 'parameter'
	| 'phone'
	| 'country'
	| 'unknownCall'
	| 'unknownMethod'
	| 'verb'
	| 'repeatTooLate'
	| 'repeatsUsedUp'
	| 'calledTooSoon'
	| 'calledTooOften'
	| 'balance';

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

/**
 * Everything that can be set, whoever is played. When another service is played, those of its answers and limits
 * change; the address, the balance, the seed and the faults stay as they were at the start.
 */
export interface EmulatorSettings {
	/** 0 takes any free port. */
	port: number;
	host: string;
	secretKey: string;
	serviceId: string;
	latencyMs: number;
	/** Requests above this number within one second get HTTP 429. */
	requestsPerSecondLimit: number;
	/** Sent as Retry-After with the 429 of the limit above; omitted if undefined. */
	retryAfterSeconds: number | undefined;
	/** Sends the limit above with every answer, and when requests are free again in this unit. */
	rateLimitHeaders: 'none' | 'secondsLeft' | 'millisecondsLeft' | 'unixTime';
	numberLimits: CallsPerNumber;
	/** Requests in flight above this number get HTTP 503. */
	maxConcurrent: number;
	/** Each request in flight above this number adds `slowdownMs` to the latency. */
	slowdownAbove: number;
	slowdownMs: number;
	/** What fields of the contract are called in responses, where that differs. */
	fieldNames: Readonly<Record<string, string>>;
	/** Fields of responses that are left out if they would be empty or false. */
	leftOutIfEmpty: readonly string[];
	/** How many of the last digits a masked number shows. */
	maskKeepsLast: number;
	phoneInfoShape: 'object' | 'array';
	costShape: 'number' | 'boolean';
	ipShape: 'string' | 'number';
	/** The contract leaves open whether the HTTP status of an error equals its code. */
	errorStatus: '200' | 'only429' | 'matching';
	/** The code that each refusal has. */
	refusalCodes: Readonly<Record<Refusal, number>>;
	/** Whether `initCall` itself says that a person cannot be reached, or only `getInfo` does. */
	unreachable: 'failsLater' | 'failsAtOnce';
	/** How `checkPhone` reports an invalid number: in the field `error` of the record, or as an error object. */
	invalidPhone: 'field' | 'errorObject';
	/** Whether `getInfo` knows inbound calls. */
	inboundInGetInfo: boolean;
	/** Methods that are always refused. */
	withdrawnMethods: readonly string[];
	/** How an event spells the caller's number: as it was given, with a plus, as a JSON number, or with 8 for 7. */
	eventNumber: 'digits' | 'plus' | 'number' | 'eight';
	/** What an event has for operators that it does not name. */
	eventOperators: 'empty' | 'null';
	callResultAfterMs: number;
	inboundLifetimeMs: number;
	/** Trusted instead of the usual authorities for a callback to an https URL; PEM. */
	webhookCertificate: string | undefined;
	prices: Prices;
	startingBalance: number;
	/** Seed of the generated codes and of the faults that fire by probability. */
	seed: number;
	faults: readonly FaultRule[];
}
