import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isRecord, omit, pick } from '../contract/fields';
import { errorWords } from '../phones/phoneChecks';
import type { Operation, OutputRecord } from './operation';
import { toggle } from './options';

/** For items whose parameters as a whole may be what failed. Throws if the option itself cannot be read. */
export function isInputIncluded(context: IExecuteFunctions, itemIndex: number): boolean {
	const value: unknown = context.getNodeParameter('options.includeInputFields', itemIndex, false);
	return toggle.safeParse(value).data === true;
}

/** An operation and an item's validated values for it. */
export interface PreparedItem {
	readonly operation: Operation;
	readonly parameters: unknown;
}

/** What the user chose to see of a result. A model never gets a code, and nothing but the result. */
export function resultOutput(
	result: OutputRecord,
	itemIndex: number,
	{ operation, parameters }: PreparedItem,
	{ isTool, inputFields }: { readonly isTool: boolean; readonly inputFields: InputFields },
): IDataObject {
	const values = isRecord(parameters) ? parameters : {};
	const options = isRecord(values.options) ? values.options : {};
	const record = withoutErrorKey(result);
	const chosen = values.simplify === true ? pick(record, Object.keys(operation.output)) : record;
	const isCodeHidden = isTool || options.hideCode === true;
	// Operations only return JSON values of the service and plain values.
	const output = (isCodeHidden ? omit(chosen, ['code']) : chosen) as IDataObject;
	const isAlone = isTool || options.includeInputFields !== true;
	return isAlone ? output : inputFields.beside(output, itemIndex, operation);
}

/** Puts the fields of input items beside their results, without losing any. */
export class InputFields {
	private names: Set<string> | undefined;

	constructor(private readonly items: readonly INodeExecutionData[]) {}

	/** Of all items, so that a name means the same in all rows of a list. */
	get columns(): ReadonlySet<string> {
		if (this.names !== undefined) return this.names;
		this.names = new Set();
		for (const { json } of this.items) {
			for (const name of Object.keys(json)) this.names.add(name);
		}
		return this.names;
	}

	/**
	 * A new object, because the input is also the stored output of the previous node. A field `error` of the input is
	 * always renamed, see `withoutErrorKey`.
	 *
	 * @param result Of the operation, or what a failed item says.
	 */
	beside(result: IDataObject, itemIndex: number, operation: Operation): IDataObject {
		const { output, moreOutput = [], reserved = [], nameKeptBy } = operation;
		const { columns } = this;
		// Not only those of this result: a failed item must not seem to have what only a result can have.
		const declared = [...Object.keys(output), ...moreOutput, 'error', 'message'];
		const ofResult = new Set([...declared, ...Object.keys(result)]);
		const taken = new Set([...columns, ...ofResult]);
		const renamed = (prefix: string, name: string): string => {
			const free = prefix + name;
			if (taken.has(free)) return renamed(prefix, free);
			taken.add(free);
			return free;
		};
		const isInputFirst = nameKeptBy === 'input';
		const inputs = Object.entries(this.items[itemIndex]?.json ?? {})
			.filter(([name]) => !reserved.includes(name))
			.map(([name, value]) => {
				const isKept = name !== 'error' && (isInputFirst || !ofResult.has(name));
				return [isKept ? name : renamed('input_', name), value];
			});
		const results = Object.entries(result).map(([name, value]) => {
			const isKept = name === 'error' || !isInputFirst || !columns.has(name);
			return [isKept ? name : renamed('result_', name), value];
		});
		return Object.fromEntries([...inputs, ...results]) as IDataObject;
	}
}

/**
 * n8n treats an item with a key `error` as failed and runs the whole node again if “Retry On Fail” is on. So the
 * service's `error` is renamed to `reason`.
 */
function withoutErrorKey({ error, ...record }: OutputRecord): OutputRecord {
	const reason = errorWords(error);
	return reason === '' ? record : { ...record, reason };
}
