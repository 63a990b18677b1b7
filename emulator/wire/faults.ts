import { seededRandom, type Random } from '../seededRandom';
import { refuse } from '../service/refusals';
import type { Fault, FaultRule, FaultTrigger } from '../settings';

interface ActiveFault {
	readonly id: number;
	readonly rule: FaultRule;
	/** Undefined if the rule fires until it is removed. */
	readonly timesLeft: number | undefined;
}

/** Every other kind decides the response. */
export type DecidingFault = Exclude<Fault, { kind: 'delay' }>;

interface DrawnFaults {
	delayMs: number;
	fault: DecidingFault | undefined;
}

/** The armed faults, and which of them apply to the next request. */
export class Faults {
	private active: ActiveFault[] = [];
	private lastId = 0;
	private random: Random;

	constructor(rules: readonly FaultRule[], seed: number) {
		this.random = seededRandom(seed);
		for (const rule of rules) this.add(rule);
	}

	/** Arms a rule and returns the identifier that removes it. */
	add(rule: FaultRule): number {
		const id = ++this.lastId;
		this.active.push({ id, rule, timesLeft: rule.times });
		return id;
	}

	remove(id: number): void {
		this.active = this.active.filter((fault) => fault.id !== id);
	}

	clear(): void {
		this.active = [];
	}

	/** Restarts the random numbers, so that probabilities have the same outcomes again. */
	reseed(seed: number): void {
		this.random = seededRandom(seed);
	}

	list(): readonly ActiveFault[] {
		return [...this.active];
	}

	/** Delays add up until the first rule that decides the response. */
	draw(method: string): DrawnFaults {
		let delayMs = 0;
		for (const { id, rule } of [...this.active]) {
			if (rule.method !== undefined && rule.method !== method) continue;
			if (rule.probability !== undefined && this.random() >= rule.probability) continue;
			this.spend(id);
			if (rule.kind !== 'delay') return { delayMs, fault: rule };
			delayMs += rule.ms;
		}
		return { delayMs, fault: undefined };
	}

	private spend(id: number): void {
		this.active = this.active
			.map((fault) =>
				fault.id === id && fault.timesLeft !== undefined
					? { ...fault, timesLeft: fault.timesLeft - 1 }
					: fault,
			)
			.filter((fault) => fault.timesLeft === undefined || fault.timesLeft > 0);
	}
}

type Fields = ReadonlyMap<string, unknown>;

/** Reads a fault rule sent to the control endpoint. */
export function faultFromJson(value: unknown): FaultRule {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return refuse('parameter', 'A fault must be a JSON object');
	}
	const fields: Fields = new Map(Object.entries(value));
	return { ...readFault(fields), ...readTrigger(fields) };
}

function readTrigger(fields: Fields): FaultTrigger {
	const trigger: FaultTrigger = {};
	const method = text(fields, 'method');
	const times = number(fields, 'times', 1, Number.MAX_SAFE_INTEGER);
	const probability = number(fields, 'probability', 0, 1);
	if (method !== undefined) trigger.method = method;
	if (times !== undefined) trigger.times = times;
	if (probability !== undefined) trigger.probability = probability;
	return trigger;
}

function readFault(fields: Fields): Fault {
	const kind = text(fields, 'kind');
	const status = number(fields, 'status', 200, 599);
	switch (kind) {
		case 'errorCode': {
			const code = number(fields, 'code', 0, 99_999) ?? refuse('parameter', 'code is required');
			const message = text(fields, 'message');
			return message === undefined ? { kind, code } : { kind, code, message };
		}
		case 'httpStatus':
			return { kind, status: status ?? refuse('parameter', 'status is required') };
		case 'resetBeforeProcessing':
		case 'resetAfterProcessing':
		case 'halfJson':
			return { kind };
		case 'html':
		case 'empty': {
			const processed = fields.get('processed') === true;
			return status === undefined ? { kind, processed } : { kind, processed, status };
		}
		case 'delay':
			return {
				kind,
				ms: number(fields, 'ms', 0, 3_600_000) ?? refuse('parameter', 'ms is required'),
			};
		case 'tooManyRequests': {
			const retryAfterSeconds = number(fields, 'retryAfterSeconds', 0, 86_400);
			const retryAfterAs = text(fields, 'retryAfterAs') === 'date' ? 'date' : 'seconds';
			return retryAfterSeconds === undefined ? { kind } : { kind, retryAfterSeconds, retryAfterAs };
		}
		default:
			return refuse('parameter', `Unknown kind of fault: ${kind ?? 'none given'}`);
	}
}

function text(fields: Fields, name: string): string | undefined {
	const value = fields.get(name);
	if (value === undefined || typeof value === 'string') return value;
	return refuse('parameter', `${name} must be a string`);
}

function number(fields: Fields, name: string, min: number, max: number): number | undefined {
	const value = fields.get(name);
	if (value === undefined) return undefined;
	if (typeof value === 'number' && value >= min && value <= max) return value;
	return refuse('parameter', `${name} must be a number from ${min} to ${max}`);
}
