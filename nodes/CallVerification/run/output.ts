import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	isRecord,
	omit,
	type OutputFields,
	pick,
	readFlag,
	storable,
	withTexts,
} from '../contract/fields';
import type { GiveUp, NoResponse } from '../pacing/retry';
import type { Clock } from '../pacing/time';
import { errorWords, money } from '../phones/phoneChecks';

export type OutputRecord = Readonly<Record<string, unknown>>;

export interface OutputShape {
	/** The output with the operation's default settings. With “Simplify” on, there are no other fields. */
	readonly output: OutputFields;
	/** Further fields that other settings lead to. */
	readonly moreOutput?: readonly string[];
	/**
	 * Who keeps the name that an input field and a field of the result share; the other is renamed. Where the result
	 * decides something, it must be the result, so that no field of a form can pose as it.
	 */
	readonly nameKeptBy?: 'input' | 'result';
	/** Input fields that are left out, because they may hold a secret or pose as one. */
	readonly reserved?: readonly string[];
}

/** For items whose parameters as a whole may be what failed. Throws if the option itself cannot be read. */
export const isInputIncluded = (context: IExecuteFunctions, itemIndex: number) =>
	readFlag(context.getNodeParameter('options.includeInputFields', itemIndex, false)) === true;

/** What the user chose to see of a result. A model never gets a code, and nothing but the result. */
export function resultOutput(
	result: OutputRecord,
	itemIndex: number,
	{ operation, parameters }: { readonly operation: OutputShape; readonly parameters: unknown },
	{ isTool, inputFields }: { readonly isTool: boolean; readonly inputFields: InputFields },
): IDataObject {
	const values = isRecord(parameters) ? parameters : {};
	const options = isRecord(values.options) ? values.options : {};
	const record = withoutErrorKey(result);
	const chosen = values.simplify === true ? pick(record, Object.keys(operation.output)) : record;
	const isCodeHidden = isTool || options.hideCode === true;
	const shown = isCodeHidden ? omit(chosen, ['code']) : chosen;
	// Operations only return JSON values of the service and plain values.
	const output = withTexts(shown, storable) as IDataObject;
	const isAlone = isTool || options.includeInputFields !== true;
	return isAlone ? output : inputFields.beside(output, itemIndex, operation);
}

export class InputFields {
	private names: Set<string> | undefined;

	constructor(private readonly items: readonly INodeExecutionData[]) {}

	/** Of all items, so that a name means the same in all rows of a list. */
	get columns(): ReadonlySet<string> {
		if (this.names !== undefined) return this.names;
		this.names = new Set();
		for (const { json } of this.items) Object.keys(json).forEach((name) => this.names?.add(name));
		return this.names;
	}

	/**
	 * A new object, because the input is also the stored output of the previous node. A field `error` of the input is
	 * always renamed, see `withoutErrorKey`.
	 */
	beside(result: IDataObject, itemIndex: number, shape: OutputShape): IDataObject {
		const { output, moreOutput = [], reserved = [], nameKeptBy } = shape;
		// Not only those of this result: a failed item must not seem to have what only a result can have.
		const declared = [...Object.keys(output), ...moreOutput, 'message'];
		const ofResult = new Set([...declared, ...Object.keys(result)]);
		const rename = renamer([...this.columns, ...ofResult]);
		const keepsInput = nameKeptBy === 'input';
		const fields: Array<[string, IDataObject[string]]> = [];
		for (const [name, value] of Object.entries(this.items[itemIndex]?.json ?? {})) {
			if (reserved.includes(name)) continue;
			const isKept = name !== 'error' && (keepsInput || !ofResult.has(name));
			fields.push([isKept ? name : rename('input_', name), value]);
		}
		for (const [name, value] of Object.entries(result)) {
			const isKept = name === 'error' || !keepsInput || !this.columns.has(name);
			fields.push([isKept ? name : rename('result_', name), value]);
		}
		return Object.fromEntries(fields);
	}
}

/** Puts a prefix in front of a name, as often as it takes until nothing has that name. */
function renamer(names: Iterable<string>) {
	const taken = new Set(names);
	return (prefix: string, name: string): string => {
		let free = prefix + name;
		while (taken.has(free)) free = prefix + free;
		taken.add(free);
		return free;
	};
}

/**
 * n8n treats an item with a key `error` as failed and runs the whole node again if “Retry On Fail” is on. So the
 * service's `error` is renamed to `reason`.
 */
function withoutErrorKey({ error, ...record }: OutputRecord): OutputRecord {
	const reason = errorWords(error);
	return reason === '' ? record : { ...record, reason };
}

const LOG_EVERY_MS = 10_000;

/** Logs progress until the returned function is called, because n8n has no progress bar for nodes. */
export function logProgress(
	context: IExecuteFunctions,
	{ clock, report, giveUp }: { clock: Clock; report: RunReport; giveUp: GiveUp },
): () => void {
	const startedAt = clock.now();
	return every(clock, LOG_EVERY_MS, () => {
		// The remaining items are about to fail.
		if (giveUp.reason !== undefined) return;
		const progress = report.progress(clock.now() - startedAt, giveUp.noResponse);
		context.logger.info(`${context.getNode().name}: ${progress}`);
	});
}

/** Not in `logProgress`, whose variables the timer that is left would keep in memory, and with them the whole run. */
function every(clock: Clock, milliseconds: number, act: () => void): () => void {
	let next: (() => void) | undefined = act;
	const wait = () =>
		clock.timer(milliseconds).addEventListener('abort', () => {
			if (next === undefined) return;
			next();
			wait();
		});
	wait();
	return () => {
		next = undefined;
	};
}

/** How many there are of each in a file. */
interface FileRows {
	readonly rows: number;
	readonly cells: number;
	readonly valid: number;
	readonly invalid: number;
	readonly unreadable: number;
	readonly duplicates: number;
	readonly reused: number;
	readonly not_checked: number;
	readonly failed: number;
}

export class RunReport {
	done = 0;
	failed = 0;
	invalid = 0;
	unreadable = 0;
	duplicates = 0;
	/** Results of an earlier try of the run. */
	reused = 0;
	retries = 0;
	/** What this run has surely cost: the prices that the service has named. */
	cost = 0;
	/** What it may have cost, counting each unknown price as the highest one. */
	possibleCost = 0;
	/** Requests that may have been charged, although no response says how much. */
	unknownCosts = 0;
	private unit: 'items' | 'numbers' = 'items';
	private readonly files: FileRows[] = [];
	private failedFiles = 0;

	constructor(public total: number) {}

	/** Counts the numbers in files from now on, which are known once a file is read, instead of the files. */
	countNumbers(numbers: number): void {
		if (this.unit === 'items') {
			this.failedFiles = this.failed;
			this.total = 0;
			this.done = 0;
			this.failed = 0;
			this.unit = 'numbers';
		}
		this.total += numbers;
	}

	endItem(hasFailed: boolean): void {
		if (this.unit === 'numbers') {
			if (hasFailed) this.failedFiles += 1;
			return;
		}
		this.done += 1;
		if (hasFailed) this.failed += 1;
	}

	endFile(rows: FileRows): void {
		this.files.push(rows);
	}

	get isWorthSaying(): boolean {
		return this.total > 1 || this.files.length > 0;
	}

	get isWarning(): boolean {
		return this.failed + this.failedFiles + this.sumOf('not_checked') > 0;
	}

	summary(): string {
		const { unknownCosts } = this;
		const parts = [
			...(this.files.length > 0 ? this.ofFiles() : this.ofItems()),
			this.cost > 0 ? `total cost ${this.costSoFar()}` : '',
			unknownCosts > 0 ? `${plural(unknownCosts, 'request')} without a readable price` : '',
			this.retries > 0 ? plural(this.retries, 'retry', 'retries') : '',
		];
		return parts.filter((part) => part !== '').join(', ');
	}

	progress(elapsedMs: number, noResponse?: NoResponse): string {
		if (noResponse !== undefined && noResponse.forMs >= 1_000) {
			const { forMs, leftMs } = noResponse;
			return `${this.soFar()}, no response for ${inSeconds(forMs)}, giving up in ${inSeconds(leftMs)}`;
		}
		if (this.done === 0) return this.soFar();
		const perSecond = (this.done / Math.max(1, elapsedMs)) * 1_000;
		const secondsLeft = Math.ceil((this.total - this.done) / perSecond);
		return `${this.soFar()}, ${perSecond.toFixed(1)} per second, about ${secondsLeft} s left`;
	}

	/** For the error that ends a run early. A retry does not request `stored` of all results again. */
	doneBefore({ stored, all }: { stored: number; all: number }): string {
		const succeeded = this.done - this.failed;
		if (succeeded === 0) return '';
		const paid = this.cost > 0 ? `, at a cost of ${this.costSoFar()}` : '';
		const which = stored < all ? `${count(stored)} of the ${count(all)} results` : 'them';
		const action = this.cost > 0 ? 'pay for' : 'request';
		const retry = stored > 0 ? ` Retrying this execution does not ${action} ${which} again.` : '';
		return `${count(succeeded)} of ${count(this.total)} ${this.unit} had already succeeded${paid}.${retry}`;
	}

	private ofItems(): string[] {
		const origin = this.cost > 0 ? 'already paid for' : 'from an earlier try';
		return [
			this.failed < this.total ? this.soFar() : `All ${count(this.total)} items failed`,
			this.invalid > 0 ? `${count(this.invalid)} invalid` : '',
			this.unreadable > 0 ? `${count(this.unreadable)} unreadable` : '',
			this.duplicates > 0 ? `${plural(this.duplicates, 'duplicate request')} avoided` : '',
			this.reused > 0 ? `${count(this.reused)} ${origin}` : '',
		];
	}

	private ofFiles(): string[] {
		const { length } = this.files;
		const some = (name: keyof FileRows) => {
			const sum = this.sumOf(name);
			return sum > 0 ? `${count(sum)} ${name.replace('_', ' ')}` : '';
		};
		const rows = plural(this.sumOf('rows'), 'row');
		const cells = this.sumOf('cells');
		const duplicates = this.sumOf('duplicates');
		return [
			length > 1 ? `${rows} in ${length} files` : rows,
			// Of several phone columns. What follows counts these.
			cells > this.sumOf('rows') ? `${count(cells)} phone cells` : '',
			...(['valid', 'invalid', 'unreadable', 'failed', 'not_checked', 'reused'] as const).map(some),
			duplicates > 0 ? plural(duplicates, 'duplicate') : '',
			this.failedFiles > 0 ? `${plural(this.failedFiles, 'file')} failed` : '',
		];
	}

	private sumOf(name: keyof FileRows): number {
		let sum = 0;
		for (const rows of this.files) sum += rows[name];
		return sum;
	}

	private costSoFar(): string {
		const surely = money(this.cost);
		if (this.unknownCosts === 0) return surely;
		return `at least ${surely}, perhaps ${money(this.possibleCost)}`;
	}

	private soFar(): string {
		const failed = this.failed > 0 ? `, ${count(this.failed)} failed` : '';
		return `${count(this.done - this.failed)} of ${count(this.total)} ${this.unit} done${failed}`;
	}
}

const count = (value: number) => value.toLocaleString('en-US');

const plural = (value: number, one: string, many = `${one}s`) =>
	`${count(value)} ${value === 1 ? one : many}`;

const inSeconds = (milliseconds: number) => `${Math.round(milliseconds / 1_000)} s`;
