import { systemClock, type Clock } from './clock';
import type { FaultRule } from './fault';
import type { CallsPerNumber } from './numberLimits';
import { CONTRACT_CODES, type RefusalCodes } from './serviceError';
import { ucaller } from './ucaller';

/** Whose answers the emulator gives: those of the contract, or those of the public service with this interface. */
export const SERVICE_NAMES = ['contract', 'ucaller'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

export interface Prices {
	call: number;
	voice: number;
	mix: number;
	check: number;
	/** Charged for a number that `checkPhone` finds invalid. */
	invalidCheck: number;
	inbound: number;
}

export interface EmulatorSettings {
	/** Decides the default of the other settings. */
	as: ServiceName;
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
	refusalCodes: RefusalCodes;
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
	clock: Clock;
	/** Seed of the generated codes and of the faults that fire by probability. */
	seed: number;
	faults: readonly FaultRule[];
}

const contract: EmulatorSettings = {
	as: 'contract',
	port: 0,
	host: '127.0.0.1',
	secretKey: 'emulator-secret-key',
	serviceId: '1001',
	latencyMs: 0,
	requestsPerSecondLimit: Infinity,
	retryAfterSeconds: undefined,
	rateLimitHeaders: 'none',
	numberLimits: { pauseMs: 0, perMinute: Infinity, perDay: Infinity, blockMs: 0 },
	maxConcurrent: Infinity,
	slowdownAbove: Infinity,
	slowdownMs: 100,
	fieldNames: {},
	leftOutIfEmpty: [],
	maskKeepsLast: 2,
	phoneInfoShape: 'object',
	costShape: 'number',
	ipShape: 'string',
	errorStatus: 'matching',
	refusalCodes: CONTRACT_CODES,
	unreachable: 'failsLater',
	invalidPhone: 'field',
	inboundInGetInfo: false,
	withdrawnMethods: [],
	eventNumber: 'digits',
	eventOperators: 'empty',
	callResultAfterMs: 3_000,
	inboundLifetimeMs: 10 * 60_000,
	webhookCertificate: undefined,
	prices: { call: 0.4, voice: 0.9, mix: 1.2, check: 0.05, invalidCheck: 0, inbound: 0 },
	startingBalance: 1_000,
	clock: systemClock,
	seed: 1,
	faults: [],
};

const services: Readonly<Record<ServiceName, Partial<EmulatorSettings>>> = {
	contract: {},
	ucaller,
};

export function isServiceName(value: unknown): value is ServiceName {
	return SERVICE_NAMES.some((name) => name === value);
}

/** The given settings, and for all others the defaults of the service that is played. */
export function completeSettings(given: Partial<EmulatorSettings>): EmulatorSettings {
	const { as = contract.as } = given;
	return { ...contract, ...services[as], ...given, as };
}
