import type { SentRecord } from '../../nodes/CallVerification/contract/fields';
import type { MethodName, Methods } from '../../nodes/CallVerification/contract/methods';
import type { Refusal } from '../settings';
import { refuse } from './refusals';
import type { ServiceState } from './state';

/** The contract's record: a field may be missing or null, but has no other type. */
export type AnswerOf<Name extends MethodName> = SentRecord<Methods[Name]['response']['fields']>;

export interface Method<Answer extends object = Record<string, unknown>> {
	verbs: readonly string[];
	answer(args: ArgumentReader, service: ServiceState): Answer;
}

export type MethodOf<Name extends MethodName> = Method<AnswerOf<Name>>;

/** A handler for a method of the contract. The name is for the compiler, which then refuses fields that are not in the record. */
export function defineMethod<Name extends MethodName, Answer extends AnswerOf<Name>>(
	_name: Name,
	method: Method<Answer & Known<Answer, AnswerOf<Name>>>,
): MethodOf<Name> {
	return method;
}

/** `Given`, in which any field that is not in `Allowed`, at any depth, is `never`. */
type Known<Given, Allowed> = unknown extends Allowed
	? Given
	: Given extends ReadonlyArray<infer Entry>
		? ReadonlyArray<Known<Entry, EntryOf<Allowed>>>
		: Given extends object
			? {
					[Name in keyof Given]: Name extends NameOf<Allowed>
						? Known<Given[Name], ContentOf<Allowed, Name>>
						: never;
				}
			: Given;

type EntryOf<Allowed> = Allowed extends ReadonlyArray<infer Entry> ? Entry : never;

/** Of the record among several types, which may be null or missing. */
type NameOf<Allowed> = Allowed extends readonly unknown[] | null | undefined
	? never
	: keyof Allowed;

type ContentOf<Allowed, Name> = Allowed extends unknown
	? Name extends keyof Allowed
		? Allowed[Name]
		: never
	: never;

const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

type ArgumentSource = 'query' | 'json';

/**
 * Reads the arguments of one request. A query string has only text, so digits are accepted there; in JSON, the declared
 * type is required.
 */
export class ArgumentReader {
	constructor(
		private readonly values: ReadonlyMap<string, unknown>,
		private readonly source: ArgumentSource,
	) {}

	allowOnly(...names: string[]): void {
		const unknown = [...this.values.keys()].filter((name) => !names.includes(name));
		if (unknown.length > 0) refuse('parameter', `Unknown parameter: ${unknown.join(', ')}`);
	}

	/** @param wrong What a value is refused as that is a number, but not a possible one. */
	number(name: string, wrong: Refusal = 'parameter'): number {
		const value = this.values.get(name);
		if (value === undefined) refuse('parameter', `${name} is required`);
		if (this.source === 'query') {
			if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
			refuse(wrong, `${name} must be digits only`);
		}
		if (typeof value !== 'number') {
			refuse('malformed', `${name} must be a JSON number, not ${jsonTypeOf(value)}`);
		}
		if (!Number.isSafeInteger(value) || value < 0) {
			refuse(wrong, `${name} must be a whole number that is not negative`);
		}
		return value;
	}

	/** A phone number in E.164 digits. */
	phone(name: string): string {
		const digits = String(this.number(name, 'phone'));
		if (!/^[1-9]\d{6,14}$/.test(digits)) {
			refuse('phone', `${name} must be an E.164 number of 7 to 15 digits, not ${digits.length}`);
		}
		return digits;
	}

	text(name: string): string | undefined {
		const value = this.values.get(name);
		if (value === undefined || typeof value === 'string') return value;
		return refuse('malformed', `${name} must be a string, not ${jsonTypeOf(value)}`);
	}

	requiredText(name: string): string {
		const value = this.text(name);
		if (value === undefined || value === '') return refuse('parameter', `${name} is required`);
		return value;
	}

	shortText(name: string, limit: number): string | undefined {
		const value = this.text(name);
		if (value !== undefined && [...value].length > limit) {
			refuse('parameter', `${name} must be at most ${limit} characters`);
		}
		return value;
	}

	uuid(name: string): string | undefined {
		const value = this.shortText(name, 64);
		if (value !== undefined && !UUID_V4.test(value)) {
			refuse('parameter', `${name} must be a UUID v4`);
		}
		return value;
	}

	flag(name: string): boolean {
		const value = this.values.get(name);
		if (value === undefined) return false;
		if (typeof value === 'boolean') return value;
		if (this.source === 'query' && value === 'true') return true;
		if (this.source === 'query' && value === 'false') return false;
		return refuse('malformed', `${name} must be a boolean, not ${jsonTypeOf(value)}`);
	}

	/** The code of a call: digits, as a number or as text. */
	code(name: string): string | undefined {
		const value = this.values.get(name);
		if (value === undefined) return undefined;
		if (typeof value !== 'number' && typeof value !== 'string') {
			refuse('malformed', `${name} must be a number or a string, not ${jsonTypeOf(value)}`);
		}
		const digits = String(value);
		if (!/^\d{4}$/.test(digits)) refuse('parameter', `${name} must be exactly 4 digits`);
		if (digits === '0000') refuse('parameter', `${name} must be from 0001 to 9999`);
		return digits;
	}
}

function jsonTypeOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'an array';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
