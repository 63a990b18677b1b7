import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { givenOptions, isExpression, labelOf } from './guards';
import { isRecord } from '../contract/fields';
import { refuseModelsChoice } from './modelsChoice';
import { omit, pick } from './outputShape';

/** How many items are compared with the first. Not all, because evaluating an expression takes up to a millisecond. */
const MOST_COMPARED = 10;

/** Reads collections of options: for each item, or once if they apply to the whole run. */
export class OptionValues {
	/** About options of the whole run that have other values for other items. */
	readonly hints: string[] = [];

	/** As stored in the workflow, including expressions. */
	private readonly parameters: Readonly<Record<string, unknown>>;

	private readonly ofFirstItem = new Map<INodeProperties, Record<string, unknown>>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly isTool: boolean,
	) {
		// Once, because n8n copies the node each time.
		this.parameters = context.getNode().parameters;
	}

	/**
	 * Returns the options that have a value. Throws if an expression leaves a guard empty, or if a model could set it.
	 *
	 * @param ofRun Options that apply to the whole run: the first item decides.
	 */
	read(
		field: INodeProperties,
		itemIndex: number,
		ofRun: readonly string[] = [],
	): Record<string, unknown> {
		if (this.isTool) refuseModelsChoice(field, this.parameters[field.name]);
		if (ofRun.length === 0) return this.evaluate(field, itemIndex);
		const first = this.evaluateFirst(field, ofRun);
		if (this.isSameForAll(field, ofRun)) return first;
		return { ...this.evaluate(field, itemIndex, ofRun), ...pick(first, ofRun) };
	}

	private evaluate(
		field: INodeProperties,
		itemIndex: number,
		without: readonly string[] = [],
	): Record<string, unknown> {
		const { name, default: fallback } = field;
		const value: unknown = this.context.getNodeParameter(name, itemIndex, fallback);
		const own = isRecord(value) ? omit(value, without) : value;
		return givenOptions(field, this.parameters[name], own);
	}

	private evaluateFirst(field: INodeProperties, ofRun: readonly string[]): Record<string, unknown> {
		const known = this.ofFirstItem.get(field);
		if (known !== undefined) return known;
		const first = this.evaluate(field, 0);
		this.ofFirstItem.set(field, first);
		for (const name of ofRun) this.compareItems(field, name);
		return first;
	}

	/** Whether all expressions in the collection apply to the whole run. */
	private isSameForAll({ name }: INodeProperties, ofRun: readonly string[]): boolean {
		const raw = this.parameters[name] ?? {};
		return isRecord(raw) && !isExpression(omit(raw, ofRun));
	}

	private compareItems(field: INodeProperties, option: string): void {
		const raw = this.parameters[field.name];
		const others = spreadOver(this.context.getInputData().length - 1);
		if (others.length === 0 || !isRecord(raw) || !isExpression(raw[option])) return;
		const first = this.textOf(field, option, 0);
		if (others.every((itemIndex) => this.textOf(field, option, itemIndex) === first)) return;
		this.hints.push(
			`“${labelOf(field, option)}” applies to the whole run, so its value for the first item was used. For other items, the expression returns another value.`,
		);
	}

	/** For comparison; undefined if the expression fails. */
	private textOf({ name }: INodeProperties, option: string, itemIndex: number): string | undefined {
		try {
			return JSON.stringify(this.context.getNodeParameter(`${name}.${option}`, itemIndex, ''));
		} catch {
			return undefined;
		}
	}
}

/** Numbers from 1 to `last`, evenly spread, the last one included. */
function spreadOver(last: number): number[] {
	const count = Math.min(last, MOST_COMPARED);
	return Array.from({ length: count }, (_none, step) => Math.round(((step + 1) * last) / count));
}
