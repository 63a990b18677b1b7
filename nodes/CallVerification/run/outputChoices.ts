import { isRecord } from '../contract/fields';
import type { Operation, OutputRecord } from './operation';
import { omit, pick, withoutErrorKey } from './outputShape';

/** What a user may choose about the output, in any operation that has the field. */
interface OutputChoices {
	readonly isSimplified: boolean;
	readonly isCodeHidden: boolean;
	readonly isInputIncluded: boolean;
}

/** @param parameters As parsed by the operation's schema. A model never gets a code, and nothing but the result. */
export function outputChoices(parameters: unknown, isTool: boolean): OutputChoices {
	const values = isRecord(parameters) ? parameters : {};
	const options = isRecord(values.options) ? values.options : {};
	return {
		isSimplified: values.simplify === true,
		isCodeHidden: isTool || options.hideCode === true,
		isInputIncluded: !isTool && options.includeInputFields === true,
	};
}

/** The result of an operation, as it may leave the node. */
export function shownOutput(
	result: OutputRecord,
	{ output }: Operation,
	{ isSimplified, isCodeHidden }: OutputChoices,
): OutputRecord {
	const record = withoutErrorKey(result);
	const shown = isSimplified ? pick(record, Object.keys(output)) : record;
	return isCodeHidden ? omit(shown, ['code']) : shown;
}
