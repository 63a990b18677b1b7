import type { IContextObject } from 'n8n-workflow';

import { isRecord } from '../contract/fields';
import { Budget, type Spending } from '../pacing/budget';

/** In characters of JSON, about 10,000 results. n8n stores them with the failed execution. */
const MOST_KEPT = 4_000_000;

/** How long a result can be used. */
export interface Validity {
	/** In milliseconds since the Unix epoch. */
	readonly expiresAt?: number;
	/** Of no use to the execution that n8n's Retry creates. */
	readonly isOfExecution?: boolean;
}

type ResultRecord = Readonly<Record<string, unknown>>;

interface Result extends Validity {
	readonly record: ResultRecord;
}

interface Tries {
	readonly budget: Budget;
	readonly results: Map<string, Result>;
}

const triesByNodeRun = new WeakMap<object, Tries>();

/**
 * What the tries of a node run have obtained and spent. “Retry On Fail” and n8n's Retry run the whole node again, with
 * all its items, but the service must not see again what has succeeded.
 */
export class EarlierTries {
	private readonly tries: Tries;

	private found = 0;

	/**
	 * @param runContext The same for every try of “Retry On Fail”, and another in the next pass of a loop.
	 * @param memory The node's context, which n8n stores with a failed execution and restores when it is retried. Who
	 * can see the execution can read it, so it only gets what the output would show.
	 */
	constructor(
		runContext: object,
		private readonly memory: IContextObject,
	) {
		this.tries = triesByNodeRun.get(runContext) ?? keptIn(memory);
		triesByNodeRun.set(runContext, this.tries);
	}

	get budget(): Budget {
		return this.tries.budget;
	}

	/** How many results came from an earlier try. */
	get reused(): number {
		return this.found;
	}

	/** @param now In milliseconds since the Unix epoch. */
	find(key: string, now: number): ResultRecord | undefined {
		const result = this.tries.results.get(key);
		if (result === undefined || now >= (result.expiresAt ?? Infinity)) return undefined;
		this.found++;
		return result.record;
	}

	add(key: string, record: ResultRecord, validity: Validity = {}): void {
		this.tries.results.set(key, { record, ...validity });
	}

	/** Keeps results for a retry of the failed execution. Returns how many are kept, and how many there are. */
	keep(): { kept: number; all: number } {
		const { budget, results } = this.tries;
		const kept: Array<[string, Result]> = [];
		let size = 0;
		for (const [key, result] of results) {
			if (result.isOfExecution) continue;
			size += key.length + JSON.stringify(result).length;
			if (size > MOST_KEPT) break;
			kept.push([key, result]);
		}
		if (kept.length > 0 || budget.known + budget.unknown > 0) {
			this.memory.earlierTries = { spending: budget.spending, results: kept };
		}
		return { kept: kept.length, all: results.size };
	}

	/** After a successful run, the next pass of a loop starts from scratch. */
	forget(): void {
		delete this.memory.earlierTries;
	}
}

/** What the retried execution has kept; empty for a first execution. */
function keptIn(memory: IContextObject): Tries {
	const kept: unknown = memory.earlierTries;
	if (!isRecord(kept)) return { budget: new Budget(), results: new Map() };
	return {
		budget: new Budget(kept.spending as Spending),
		results: new Map(kept.results as Array<[string, Result]>),
	};
}
