import type { FaultRule } from './fault';
import { seededRandom, type Random } from './seededRandom';

export interface ActiveFault {
	readonly id: number;
	readonly rule: FaultRule;
	/** Undefined if the rule fires until it is removed. */
	readonly timesLeft: number | undefined;
}

export interface DrawnFaults {
	delayMs: number;
	fault: FaultRule | undefined;
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
