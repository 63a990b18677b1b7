import { systemClock, type Clock } from './clock';
import type { FaultRule } from './fault';

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
	/** Requests in flight above this number get HTTP 503. */
	maxConcurrent: number;
	/** Each request in flight above this number adds `slowdownMs` to the latency. */
	slowdownAbove: number;
	slowdownMs: number;
	phoneInfoShape: 'object' | 'array';
	costShape: 'number' | 'boolean';
	ipShape: 'string' | 'number';
	/** The contract leaves open whether the HTTP status of an error equals its code. */
	errorStatus: '200' | 'matching';
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

export const defaultSettings: EmulatorSettings = {
	port: 0,
	host: '127.0.0.1',
	secretKey: 'emulator-secret-key',
	serviceId: '1001',
	latencyMs: 0,
	requestsPerSecondLimit: Infinity,
	retryAfterSeconds: undefined,
	maxConcurrent: Infinity,
	slowdownAbove: Infinity,
	slowdownMs: 100,
	phoneInfoShape: 'object',
	costShape: 'number',
	ipShape: 'string',
	errorStatus: 'matching',
	callResultAfterMs: 3_000,
	inboundLifetimeMs: 10 * 60_000,
	webhookCertificate: undefined,
	prices: { call: 0.4, voice: 0.9, mix: 1.2, check: 0.05, invalidCheck: 0, inbound: 0 },
	startingBalance: 1_000,
	clock: systemClock,
	seed: 1,
	faults: [],
};
