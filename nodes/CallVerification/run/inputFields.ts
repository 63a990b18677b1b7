import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { isRecord } from '../api/record';
import { notForTools, type Operation } from './operation';
import { toggle } from './parameterValue';

/** Adding both constants to an operation's options is enough; the run loop does the rest. */
export const includeInputFieldsField: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: false,
	displayOptions: notForTools,
	description:
		'Whether to also return the fields of the input item. If the result has a field of the same name, such as phone, the input’s is returned as input_phone.',
};

export const includeInputFields = toggle.optional().default(false);

/** For items whose parameters as a whole may be what failed. Throws if the option itself cannot be read. */
export function isInputIncluded(context: IExecuteFunctions, itemIndex: number): boolean {
	const own: unknown = context.getNodeParameter('options.includeInputFields', itemIndex, false);
	// Not part of options that are one expression.
	const all: unknown = own === false && context.getNodeParameter('options', itemIndex, false);
	return toggle.safeParse(isRecord(all) ? all.includeInputFields : own).data === true;
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
	 * A new object, because the input is also the stored output of the previous node. A field `error` is always renamed:
	 * n8n would treat the item as failed and run the whole node again if “Retry On Fail” is on.
	 *
	 * @param result Of the operation, or what a failed item says.
	 */
	beside(result: IDataObject, itemIndex: number, operation: Operation): IDataObject {
		const { output, moreOutput = [], reserved = [], nameKeptBy } = operation;
		const { columns } = this;
		// Not only those of this result: a failed item must not seem to have what only a result can have.
		const ofResult = new Set([
			...Object.keys(output),
			...moreOutput,
			...Object.keys(result),
			'error',
			'message',
		]);
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
