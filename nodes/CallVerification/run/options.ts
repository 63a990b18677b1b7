import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { isRecord, omit, pick } from '../contract/fields';
import { anyValue, checkedBy, InputError, parseInput, reject } from '../contract/request';
import { WIDEST } from '../pacing/quota';
import { beginsWith8, readPhoneToCheck } from '../phones/phone';

/** An expression may return text. */
export const toggle = z.union([
	z.boolean(),
	z.enum(['true', 'false']).transform((value) => value === 'true'),
]);

/** Text, neither shortened nor trimmed; numbers and booleans from expressions become text. */
export function plainText(label: string) {
	return anyValue.transform((value, context): string => {
		if (typeof value === 'string') return value;
		if (typeof value === 'number' || typeof value === 'boolean') return String(value);
		reject(context, `“${label}” is not text`, 'Check the expression in this field.');
		return z.NEVER;
	});
}

export function duration(label: string, unit: 'seconds' | 'minutes', most: number) {
	return numberThat(
		(value) => value > 0 && value <= most,
		`“${label}” must be more than 0 and at most ${most} ${unit}`,
	);
}

export function wholeNumber(label: string, most: number) {
	return numberThat(
		(value) => Number.isInteger(value) && value >= 0 && value <= most,
		`“${label}” must be a whole number from 0 to ${most}`,
	);
}

export function decimalNumber(label: string, most: number, least = 0) {
	return numberThat(
		(value) => value >= least && value <= most,
		`“${label}” must be a number from ${least} to ${most}`,
	);
}

function numberThat(isRight: (value: number) => boolean, problem: string) {
	return anyValue.transform((value, context): number => {
		const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
		if (typeof read === 'number' && isRight(read)) return read;
		reject(context, problem, 'Enter a number, e.g. 30.');
		return z.NEVER;
	});
}

interface PhoneParameters {
	readonly phone?: unknown;
	readonly options: { readonly defaultCountryCode?: string };
}

/** For `transform`: reads the number when the options are known, because its country code is one of them. */
export function withPhone<Phone>(read: (value: unknown, countryCode?: string) => Phone) {
	return <Given extends PhoneParameters>(given: Given, context: z.RefinementCtx) => {
		const { defaultCountryCode: code } = given.options;
		const reading = checkedBy((value) => read(value, code)).safeParse(given.phone);
		if (!reading.success) {
			reading.error.issues.forEach((issue) => context.addIssue({ ...issue, path: ['phone'] }));
			return z.NEVER;
		}
		const isCodeMissing = code === undefined && beginsWith8(readPhoneToCheck(given.phone).text);
		return { ...given, phone: reading.data, isCodeMissing };
	};
}

/**
 * Options that limit nothing. Every other option is a guard: without its value, calls, checks, codes or events would go
 * unlimited, so an expression must not leave it empty, and a model must not set it.
 */
const HARMLESS: ReadonlySet<string> = new Set([
	'client',
	'code',
	'includeInputFields',
	'maxWait',
	'outputBinaryPropertyName',
	'reference',
	'report',
	'waitingPage',
]);

/**
 * What an expression may read that no model can have written. Everything else may come from the model: `$fromAI` in any
 * spelling, but also `$json` and `$input`, because n8n adds the model's arguments to the input of a tool.
 */
const NOT_FROM_MODEL: ReadonlySet<string> = new Set(
	'$ $env $execution $if $ifEmpty $max $min $now $today $vars $workflow'.split(' '),
);

/** How many items are compared with the first. Not all, because evaluating an expression takes up to a millisecond. */
const MOST_COMPARED = 10;

type Values = Readonly<Record<string, unknown>>;

/** Reads collections of options: for each item, or once if they apply to the whole run. */
export class OptionValues {
	/** About options of the whole run that have other values for other items. */
	readonly hints: string[] = [];
	/** As stored in the workflow, including expressions. */
	private readonly stored: Values;
	private readonly ofFirstItem = new Map<INodeProperties, Values>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly isTool: boolean,
	) {
		// Once, because n8n copies the node each time.
		this.stored = context.getNode().parameters;
	}

	/**
	 * Returns the options that have a value, entered or by default. Throws if an expression leaves a guard empty, or if
	 * a model could set it.
	 *
	 * @param ofRun Options that apply to the whole run: the first item decides.
	 */
	read(field: INodeProperties, itemIndex: number, ofRun: readonly string[] = []): Values {
		const stored = this.stored[field.name] ?? {};
		if (this.isTool) rejectModelsChoice(field, stored);
		if (ofRun.length === 0) return this.evaluate(field, itemIndex);
		const first = this.evaluateFirst(field, ofRun);
		const isSameForAll = isRecord(stored) && !isExpression(omit(stored, ofRun));
		if (isSameForAll) return first;
		return { ...this.evaluate(field, itemIndex, ofRun), ...pick(first, ofRun) };
	}

	private evaluate(field: INodeProperties, itemIndex: number, without: readonly string[] = []) {
		const value: unknown = this.context.getNodeParameter(field.name, itemIndex, field.default);
		const own = isRecord(value) ? omit(value, without) : value;
		return { ...defaultsOf(field), ...givenOptions(field, this.stored[field.name], own) };
	}

	private evaluateFirst(field: INodeProperties, ofRun: readonly string[]): Values {
		const known = this.ofFirstItem.get(field);
		if (known !== undefined) return known;
		const first = this.evaluate(field, 0);
		this.ofFirstItem.set(field, first);
		for (const option of ofRun) this.compareItems(field, option);
		return first;
	}

	private compareItems(field: INodeProperties, option: string): void {
		const stored = this.stored[field.name];
		const others = spreadOver(this.context.getInputData().length - 1);
		if (others.length === 0 || !isRecord(stored) || !isExpression(stored[option])) return;
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

/** For an option that was not added or left empty. n8n leaves it out. */
export function defaultsOf({ options = [] }: INodeProperties): Values {
	const defaults = options.map((option) => [
		option.name,
		'default' in option ? option.default : undefined,
	]);
	return Object.fromEntries(defaults.filter(([, value]) => !isLeftEmpty(value))) as Values;
}

/**
 * Options without those left empty. Throws if it was not the user who left a guard empty, but an expression.
 *
 * @param stored The collection as in the workflow, including expressions.
 * @param value The same with its expressions evaluated.
 */
export function givenOptions(field: INodeProperties, stored: unknown, value: unknown): Values {
	const isOneExpression = typeof stored === 'string' && isExpression(stored);
	if (isOneExpression && !isRecord(value)) throw nothingReturned(field.displayName);
	const entered = isRecord(stored) ? stored : {};
	const given = Object.entries(isRecord(value) ? value : {}).filter(([name, content]) => {
		const isEvaluated = isOneExpression || isExpression(entered[name]);
		if (isEvaluated && isGuard(name) && isNothing(content)) {
			throw nothingReturned(labelOf(field, name));
		}
		return !isLeftEmpty(content);
	});
	return Object.fromEntries(given);
}

/** @param stored The collection as in the workflow, including expressions. */
export function rejectModelsChoice(field: INodeProperties, stored: unknown): void {
	if (typeof stored === 'string' && isExpression(stored)) {
		throw new InputError(
			`“${field.displayName}” is one expression, with which a model could set limits`,
			'Add the options of the tool one by one.',
		);
	}
	for (const [name, value] of Object.entries(isRecord(stored) ? stored : {})) {
		const isHidden = optionOf(field, name)?.displayOptions?.hide?.['@tool'] !== undefined;
		if (!isGuard(name) && !isHidden) continue;
		if (!isExpression(value) || !mayReadModel(value)) continue;
		throw new InputError(
			`“${labelOf(field, name)}” limits the model, so the model cannot set it`,
			"Enter your own value for this option in the tool. An expression can read other nodes, such as $('Settings').first().json.limit, or $vars, but not the input, which contains what the model wrote.",
		);
	}
}

export function isGuard(option: string): boolean {
	return !HARMLESS.has(option);
}

/** @param stored A parameter as in the workflow. */
export function isExpression(stored: unknown): boolean {
	if (typeof stored === 'string') return stored.startsWith('=');
	return typeof stored === 'object' && stored !== null && Object.values(stored).some(isExpression);
}

export function isLeftEmpty(value: unknown): boolean {
	return value === '' || value === null || value === undefined;
}

/** Text without a letter or digit holds no prefix, address, key or number, and neither does an empty list. */
function isNothing(value: unknown): boolean {
	if (isRecord(value)) return Object.keys(value).length === 0;
	return !/[\p{L}\p{N}]/u.test(String(value ?? ''));
}

function mayReadModel(value: unknown): boolean {
	const names = JSON.stringify(value).match(/\$\w*/g) ?? [];
	return names.some((name) => !NOT_FROM_MODEL.has(name));
}

function nothingReturned(label: string): InputError {
	return new InputError(
		`The expression in “${label}” returned nothing`,
		'Without a value, it would limit nothing. Correct the expression, or remove the option.',
	);
}

/** As in the editor, without the unit. */
function labelOf(field: INodeProperties, name: string): string {
	const label = optionOf(field, name)?.displayName ?? name;
	return label.replace(/ \(.*\)$/, '');
}

function optionOf({ options = [] }: INodeProperties, name: string): INodeProperties | undefined {
	const option = options.find((candidate) => candidate.name === name);
	return option !== undefined && 'type' in option ? option : undefined;
}

/** Numbers from 1 to `last`, evenly spread, the last one included. */
function spreadOver(last: number): number[] {
	const count = Math.min(last, MOST_COMPARED);
	return Array.from({ length: count }, (_none, step) => Math.round(((step + 1) * last) / count));
}

const MOST_PER_SECOND = 1_000;
const MOST_TIMEOUT = 300;
const LEAST_GIVE_UP = 1;
const MOST_GIVE_UP = 24 * 60 * 60;
const MOST_RETRIES = 20;

const requestsPerSecondField: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MOST_PER_SECOND },
	default: 0,
	description:
		'Maximum number of requests per second, in all runs with this credential together. Each n8n process counts separately. Set to 0 for no limit.',
};

const giveUpAfterField: INodeProperties = {
	displayName: 'Give Up After (Seconds)',
	name: 'giveUpAfter',
	type: 'number',
	typeOptions: { minValue: LEAST_GIVE_UP, maxValue: MOST_GIVE_UP },
	default: 300,
	description:
		'How long to keep trying while no request gets a usable response. After that, the remaining items fail at once.',
};

export const requestOptionsField: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	// It sends no request.
	displayOptions: { hide: { operation: ['wait'] } },
	options: [
		// What most people look for.
		requestsPerSecondField,
		giveUpAfterField,
		{
			displayName: 'Concurrency',
			name: 'concurrency',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: WIDEST },
			default: 0,
			description:
				'How many requests of a run can be in flight at once. Set to 0 to adjust automatically.',
		},
		{
			displayName: 'Max Retries',
			name: 'maxRetries',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: MOST_RETRIES },
			default: 5,
			description:
				'How often to retry a request after a temporary failure. Retries never ring a phone twice. Set to 0 to send each request only once.',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MOST_TIMEOUT },
			default: 30,
			description: 'How long a request may take before it times out',
		},
	],
};

const requestOptions = z.object({
	concurrency: wholeNumber('Concurrency', WIDEST),
	requestsPerSecond: decimalNumber('Requests per Second', MOST_PER_SECOND),
	timeout: duration('Timeout', 'seconds', MOST_TIMEOUT),
	giveUpAfter: decimalNumber('Give Up After', MOST_GIVE_UP, LEAST_GIVE_UP),
	maxRetries: wholeNumber('Max Retries', MOST_RETRIES),
});

export type RequestOptions = z.output<typeof requestOptions>;

/** From the first item, because they apply to the whole run. */
export function readRequestOptions(values: OptionValues): RequestOptions {
	const names = Object.keys(requestOptions.shape);
	return parseInput(requestOptions, values.read(requestOptionsField, 0, names));
}
