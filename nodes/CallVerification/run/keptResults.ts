import type { IContextObject } from 'n8n-workflow';

import { isRecord } from '../contract/fields';
import { Budget, type Spending } from '../pacing/budget';

/** In characters of JSON, about 10,000 results. n8n stores them with the failed execution. */
const MOST_STORED = 4_000_000;

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

interface Kept {
	readonly budget: Budget;
	readonly results: Map<string, Result>;
}

const keptByNodeRun = new WeakMap<object, Kept>();

/**
 * What a node run has obtained and spent, kept in case it is repeated: “Retry On Fail” and n8n's Retry run the whole
 * node again, with all its items, but the service must not see again what has succeeded.
 */
export class KeptResults {
	/** How many results came from an earlier try. */
	reused = 0;
	private readonly kept: Kept;

	/**
	 * @param nodeRun The same object for every try of “Retry On Fail”, and another in the next pass of a loop.
	 * @param memory The node's context, which n8n stores with a failed execution and restores when it is retried. Who
	 * can see the execution can read it, so it only gets what the output would show.
	 */
	constructor(
		nodeRun: object,
		private readonly memory: IContextObject,
	) {
		this.kept = keptByNodeRun.get(nodeRun) ?? storedIn(memory);
		keptByNodeRun.set(nodeRun, this.kept);
	}

	get budget(): Budget {
		return this.kept.budget;
	}

	/** @param now In milliseconds since the Unix epoch. */
	find(key: string, now: number): ResultRecord | undefined {
		const result = this.kept.results.get(key);
		if (result === undefined || now >= (result.expiresAt ?? Infinity)) return undefined;
		this.reused++;
		return result.record;
	}

	add(key: string, record: ResultRecord, validity: Validity = {}): void {
		this.kept.results.set(key, { record, ...validity });
	}

	/** For a retry of the failed execution. Returns how many results are stored, and how many there are. */
	store(): { stored: number; all: number } {
		const { budget, results } = this.kept;
		const stored: Array<[string, Result]> = [];
		let size = 0;
		for (const [key, result] of results) {
			if (result.isOfExecution) continue;
			size += key.length + JSON.stringify(result).length;
			if (size > MOST_STORED) break;
			stored.push([key, result]);
		}
		if (stored.length > 0 || budget.known + budget.unknown > 0) {
			this.memory.keptResults = { spending: budget.spending, results: stored };
		}
		return { stored: stored.length, all: results.size };
	}

	/** After a successful run, the next pass of a loop starts from scratch. */
	forget(): void {
		delete this.memory.keptResults;
	}
}

/** Empty for a first execution. */
function storedIn({ keptResults: stored }: IContextObject): Kept {
	if (!isRecord(stored)) return { budget: new Budget(), results: new Map() };
	return {
		budget: new Budget(stored.spending as Spending),
		results: new Map(stored.results as Array<[string, Result]>),
	};
}
