import type { SentRecord } from '../../nodes/CallVerification/contract/fields';
import type { MethodName, Methods } from '../../nodes/CallVerification/contract/methods';
import type { ArgumentReader } from '../argumentReader';
import type { ServiceState } from '../serviceState';

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
