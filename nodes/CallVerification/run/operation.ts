import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import type { z } from 'zod';

import type { CallbackSeal } from '../api/callbackSeal';
import type { MethodName } from '../api/contract/methods';
import type { OutputFields } from '../api/contract/outputField';
import type { ServiceMethod } from '../api/contract/serviceMethod';
import type { PhoneDigits } from '../api/phone';
import type { Clock } from '../runtime/clock';
import type { CallAccount } from './callAccount';
import type { CallbackSurroundings } from '../inbound/callback';
import type { PhoneChecks } from './phoneChecks';
import type { RunReport } from './runReport';

/** Hides what would make an AI tool wait, or tell a model what it must not know. */
export const notForTools: IDisplayOptions = { hide: { '@tool': [true] } };

/** One output item, made of JSON values. */
export type OutputRecord = Readonly<Record<string, unknown>>;

/** What is known before anything is sent. */
export interface Surroundings {
	readonly itemCount: number;
	/** A tool must answer at once and must not hand the verification code to a model. */
	readonly isTool: boolean;
	callbackSurroundings(): CallbackSurroundings;
}

/** What an operation gets to work with, for one item. */
export interface ItemRun extends Surroundings {
	readonly itemIndex: number;
	readonly clock: Clock;
	/** What the user is told at the end. */
	readonly report: RunReport;
	readonly phoneChecks: PhoneChecks;
	/** Sends a request for this item and hands back the checked record. It may take until the deadline, if there is one. */
	send<Method extends ServiceMethod & { readonly name: MethodName }>(
		method: Method,
		parameters: z.input<Method['request']>,
		deadline?: number,
	): Promise<z.output<Method['answer']>>;
	/** The same for this item however often n8n runs the node again; new in the next loop pass. */
	idempotencyKey(phone: PhoneDigits, delivery: string): string;
	/** Protects a callback URL with the credential's key; each seal is another. */
	sealCallback(url: string, seal: Omit<CallbackSeal, 'nonce'>): Promise<string>;
	/** What the credential's key is needed for around calls and their codes. */
	callAccount(): Promise<CallAccount>;
	/** Whether the service itself stands in the local network. */
	isServicePrivate(): Promise<boolean>;
	/** Puts the execution to sleep; the item comes out with these fields if nothing wakes it before. */
	suspend(until: Date, output: OutputRecord): Promise<OutputRecord>;
	isStopped(): boolean;
	/** Shown with the node's output in the editor. */
	hint(message: string): void;
	/** For n8n's log. */
	warn(message: string): void;
}

/** One operation: what the editor shows, what the fields must hold, and what it does. */
export interface Operation<Parameters extends z.ZodTypeAny = z.ZodTypeAny> {
	readonly value: string;
	readonly name: string;
	/** Shown in the node picker, and what a model reads about the tool: "<action> in Call Verification". */
	readonly action: string;
	readonly description: string;
	/** What a model that builds a workflow must know besides: costs, limits, what has to come first. */
	readonly builderHint?: string;
	/**
	 * What the editor says before somebody presses the button; afterwards it is too late, or paid. It does not know the
	 * items yet, but an expression as phone number means that there will be a list.
	 */
	readonly hintBeforeRun?: {
		/** A condition in the language of n8n's expressions. */
		readonly when: string;
		readonly message: string;
	};
	/** As the README tells it. */
	readonly costs: 'yes' | 'no' | 'by tariff';
	/** Left out where the operation is of no use to an AI agent. */
	readonly isForTools?: false;
	readonly fields: INodeProperties[];
	/** What comes out as the editor first shows the operation. With “Simplify” on, nothing else does. */
	readonly output: OutputFields;
	/** Names that only the node may use in its output, though a result may lack them: no input field passes for one. */
	readonly reserved?: readonly string[];
	/** Options that are about the run, not about an item: an expression there is evaluated once, for the first item. */
	readonly optionsOfRun?: readonly string[];
	/** Keys are the names of `fields`. */
	readonly parameters: Parameters;
	/** Throws where the values are right one by one, but not together or not here. */
	check?(parameters: z.output<Parameters>, surroundings: Surroundings): void;
	run(parameters: z.output<Parameters>, item: ItemRun): Promise<OutputRecord>;
}

export interface Resource {
	readonly value: string;
	readonly name: string;
	readonly operations: readonly Operation[];
}

/** Infers the type of `run`'s parameters from the schema beside it. */
export function defineOperation<Parameters extends z.ZodTypeAny>(
	operation: Operation<Parameters>,
): Operation {
	return operation;
}
