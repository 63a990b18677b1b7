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
