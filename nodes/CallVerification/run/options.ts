import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { isRecord, omit, pick, readFlag } from '../contract/fields';
import { checkedBy, InputError } from '../contract/request';
import { WIDEST } from '../pacing/quota';

const CHECK_EXPRESSION = 'Check the expression in this field.';

/** Followed by its `options`, in the order of their names. */
export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
};

/** Neither shortened nor trimmed. Numbers and booleans from expressions become text. */
export const plainText = (label: string) =>
	checkedBy((value) => {
		if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
		throw new InputError(`“${label}” is not text`, CHECK_EXPRESSION);
	});

interface PhoneParameters {
	readonly phone?: unknown;
	readonly options: { readonly defaultCountryCode?: string };
}

/** For `transform`: reads the number when the options are known, because its country code is one of them. */
export function withPhone<Phone>(read: (value: unknown, countryCode?: string) => Phone) {
	return <Given extends PhoneParameters>(given: Given) => {
		const phone = read(given.phone, given.options.defaultCountryCode);
		return { ...given, phone };
	};
}

/** Numbers and toggles as their field allows them, though an expression may return text; anything else unchanged. */
export function readValue(field: INodeProperties, value: unknown): unknown {
	if (field.type === 'boolean') return readToggle(field, value);
	return field.type === 'number' ? readNumber(field, value) : value;
}

function readToggle(field: INodeProperties, value: unknown): unknown {
	const flag = readFlag(value);
	if (typeof flag === 'boolean') return flag;
	throw new InputError(`“${field.displayName}” is neither true nor false`, CHECK_EXPRESSION);
}

function readNumber({ displayName, typeOptions = {} }: INodeProperties, value: unknown): number {
	const limits: NumberLimits = {
		least: typeOptions.minValue ?? 0,
		most: typeOptions.maxValue ?? Infinity,
		isWhole: typeOptions.numberPrecision === 0,
		unit: UNIT.exec(displayName)?.[1] ?? '',
	};
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number === 'number' && isAllowed(number, limits)) return number;
	const label = displayName.replace(UNIT, '');
	throw new InputError(
		`“${label}” must be ${rangeInWords(limits)}`,
		'Enter a number within these limits.',
	);
}

interface NumberLimits {
	readonly least: number;
	readonly most: number;
	readonly isWhole: boolean;
	/** As in the label. */
	readonly unit: string;
}

/** A minimum of 1 is only the editor's step: an expression may return a fraction, unless the field has no decimals. */
function isAllowed(number: number, { least, most, isWhole }: NumberLimits): boolean {
	if (isWhole) return Number.isInteger(number) && number >= least && number <= most;
	return (number >= least || number > 0) && number <= most;
}

function rangeInWords({ least, most, isWhole, unit }: NumberLimits): string {
	if (isWhole) return `a whole number from ${least} to ${most}`;
	if (least === 0) return `a number from ${least} to ${most}`;
	return `more than 0 and at most ${most} ${unit.toLowerCase()}`;
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
const NOT_FROM_MODEL: ReadonlySet<string> = new Set([
	'$',
	'$env',
	'$execution',
	'$if',
	'$ifEmpty',
	'$max',
	'$min',
	'$now',
	'$today',
	'$vars',
	'$workflow',
]);

const MOST_COMPARED = 10;

type Values = Readonly<Record<string, unknown>>;

export class OptionValues {
	/** About options of the whole run that have other values for other items. */
	readonly hints: string[] = [];
	/** As in the workflow, including expressions. Read once, because n8n copies the node each time. */
	private readonly stored: Values;
	private readonly ofFirstItem = new Map<INodeProperties, Values>();
	private readonly ofAllItems = new Map<INodeProperties, Values>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly isTool: boolean,
	) {
		this.stored = context.getNode().parameters;
	}

	/** Those with a value, entered or by default. For the options `ofRun`, the first item decides. */
	read(field: INodeProperties, itemIndex: number, ofRun: readonly string[] = []): Values {
		const stored = this.stored[field.name] ?? {};
		if (this.isTool) rejectModelsChoice(field, stored);
		const known = this.ofAllItems.get(field);
		if (known !== undefined) return known;
		const first = ofRun.length === 0 ? {} : this.evaluateFirst(field, ofRun);
		const own = this.evaluate(field, itemIndex, (values) => omit(values, ofRun));
		const values = { ...own, ...pick(first, ofRun) };
		const isSameForAllItems = isRecord(stored) && !isExpression(omit(stored, ofRun));
		if (isSameForAllItems) this.ofAllItems.set(field, values);
		return values;
	}

	private evaluate(field: INodeProperties, itemIndex: number, choose: (values: Values) => Values) {
		const value: unknown = this.context.getNodeParameter(field.name, itemIndex, field.default);
		const chosen = isRecord(value) ? choose(value) : value;
		return { ...defaultsOf(field), ...givenOptions(field, this.stored[field.name], chosen) };
	}

	private evaluateFirst(field: INodeProperties, ofRun: readonly string[]): Values {
		const known = this.ofFirstItem.get(field);
		if (known !== undefined) return known;
		const first = this.evaluate(field, 0, (values) => pick(values, ofRun));
		this.ofFirstItem.set(field, first);
		const stored = this.stored[field.name];
		const entered = isRecord(stored) ? stored : {};
		for (const option of ofRun) {
			if (!isExpression(entered[option]) || !this.differs(field, option)) continue;
			this.hints.push(
				`“${labelOf(field, option)}” applies to the whole run, so its value for the first item was used. For other items, the expression returns another value.`,
			);
		}
		return first;
	}

	/** Compares a few items that are spread over the list, because evaluating an expression takes up to a millisecond. */
	private differs({ name }: INodeProperties, option: string): boolean {
		const last = this.context.getInputData().length - 1;
		const count = Math.min(last, MOST_COMPARED);
		const valueFor = (itemIndex: number) =>
			JSON.stringify(this.context.getNodeParameter(`${name}.${option}`, itemIndex));
		try {
			const first = valueFor(0);
			for (let step = 1; step <= count; step++) {
				if (valueFor(Math.round((step * last) / count)) !== first) return true;
			}
			return false;
		} catch {
			return true;
		}
	}
}

/** For an option that was not added or left empty. n8n leaves it out. */
export function defaultsOf({ options = [] }: INodeProperties): Values {
	const defaults = options.map((option): [string, unknown] => [
		option.name,
		'default' in option ? option.default : undefined,
	]);
	return Object.fromEntries(defaults.filter(([, value]) => !isLeftEmpty(value)));
}

/** Without those left empty. Throws if an expression left a guard empty; `stored` still has the expressions. */
export function givenOptions(field: INodeProperties, stored: unknown, value: unknown): Values {
	const isOneExpression = typeof stored === 'string' && isExpression(stored);
	if (isOneExpression && !isRecord(value)) throw nothingReturned(field.displayName);
	const entered = isRecord(stored) ? stored : {};
	const values = isRecord(value) ? value : {};
	const given = Object.entries(values).map(([name, content]): [string, unknown] => {
		const isEvaluated = isOneExpression || isExpression(entered[name]);
		if (isEvaluated && isGuard(name) && isNothing(content)) {
			throw nothingReturned(labelOf(field, name));
		}
		const option = optionOf(field, name);
		if (option === undefined || isLeftEmpty(content)) return [name, content];
		return [name, readValue(option, content)];
	});
	return Object.fromEntries(given.filter(([, content]) => !isLeftEmpty(content)));
}

export function rejectModelsChoice(field: INodeProperties, stored: unknown): void {
	if (typeof stored === 'string' && isExpression(stored)) {
		throw new InputError(
			`“${field.displayName}” is one expression, with which a model could set limits`,
			'Add the options of the tool one by one.',
		);
	}
	const entered = isRecord(stored) ? stored : {};
	for (const [name, value] of Object.entries(entered)) {
		const isHidden = optionOf(field, name)?.displayOptions?.hide?.['@tool'] !== undefined;
		const isClosedToModel = isGuard(name) || isHidden;
		if (!isClosedToModel || !isExpression(value) || !mayReadModel(value)) continue;
		throw new InputError(
			`“${labelOf(field, name)}” limits the model, so the model cannot set it`,
			"Enter your own value for this option in the tool. An expression can read other nodes, such as $('Settings').first().json.limit, or $vars, but not the input, which contains what the model wrote.",
		);
	}
}

export const isGuard = (option: string) => !HARMLESS.has(option);

export function isExpression(stored: unknown): boolean {
	if (typeof stored === 'string') return stored.startsWith('=');
	return typeof stored === 'object' && stored !== null && Object.values(stored).some(isExpression);
}

export const isLeftEmpty = (value: unknown) =>
	value === '' || value === null || value === undefined;

/** Text without a letter or digit holds no prefix, address, key or number, and neither does an empty list. */
function isNothing(value: unknown): boolean {
	if (isRecord(value)) return Object.keys(value).length === 0;
	return !/[\p{L}\p{N}]/u.test(String(value ?? ''));
}

function mayReadModel(value: unknown): boolean {
	const names = JSON.stringify(value).match(/\$\w*/g) ?? [];
	return names.some((name) => !NOT_FROM_MODEL.has(name));
}

const nothingReturned = (label: string) =>
	new InputError(
		`The expression in “${label}” returned nothing`,
		'Without a value, it would limit nothing. Correct the expression, or remove the option.',
	);

const UNIT = / \((\w+)\)$/;

const labelOf = (field: INodeProperties, name: string) =>
	(optionOf(field, name)?.displayName ?? name).replace(UNIT, '');

function optionOf({ options = [] }: INodeProperties, name: string): INodeProperties | undefined {
	const option = options.find((candidate) => candidate.name === name);
	return option !== undefined && 'type' in option ? option : undefined;
}

const requestsPerSecondField: INodeProperties = {
	displayName: 'Requests per Second',
	name: 'requestsPerSecond',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1_000 },
	default: 0,
	description:
		'Maximum number of requests per second, in all runs with this credential together. Each n8n process counts separately. Set to 0 for no limit.',
};

const giveUpAfterField: INodeProperties = {
	displayName: 'Give Up After (Seconds)',
	name: 'giveUpAfter',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 24 * 60 * 60, numberPrecision: 0 },
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
			typeOptions: { minValue: 0, maxValue: WIDEST, numberPrecision: 0 },
			default: 0,
			description:
				'How many requests of a run can be in flight at once. Set to 0 to adjust automatically.',
		},
		{
			displayName: 'Max Retries',
			name: 'maxRetries',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 20, numberPrecision: 0 },
			default: 5,
			description:
				'How often to retry a request after a temporary failure. Retries never ring a phone twice. Set to 0 to send each request only once.',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 300 },
			default: 30,
			description: 'How long a request may take before it times out',
		},
	],
};

/** None is missing, because each has a default. */
const requestOptions = z.object({
	requestsPerSecond: z.number(),
	giveUpAfter: z.number(),
	concurrency: z.number(),
	maxRetries: z.number(),
	timeout: z.number(),
});

export type RequestOptions = Readonly<z.output<typeof requestOptions>>;

export function readRequestOptions(values: OptionValues): RequestOptions {
	const names = requestOptionsField.options?.map(({ name }) => name);
	return requestOptions.parse(values.read(requestOptionsField, 0, names));
}
