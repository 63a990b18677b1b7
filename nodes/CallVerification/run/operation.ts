import type { IBinaryKeyData, IDisplayOptions, INodeProperties } from 'n8n-workflow';
import type { z } from 'zod';

import type { CallGuards } from '../codes/callGuards';
import type { MethodName, ServiceMethod } from '../contract/methods';
import type { RequestedCall } from '../inbound/awaitedCall';
import type { CallbackSeal } from '../inbound/callbackSeal';
import type { CallbackSurroundings } from '../inbound/callbackUrl';
import type { Validity } from '../pacing/budget';
import type { Clock } from '../pacing/time';
import type { PhoneDigits } from '../phones/phone';
import type { PhoneChecks } from '../phones/phoneChecks';
import type { SendOptions } from '../transport/pipeline';
import type { OutputRecord, OutputShape, RunReport } from './output';

/** Hides what would make an AI tool wait, or reveal secrets to a model. */
export const notForTools: IDisplayOptions = { hide: { '@tool': [true] } };

/** What is known before anything is sent. */
export interface Surroundings {
	readonly itemCount: number;
	/** A tool must respond at once and must not reveal the code to a model. */
	readonly isTool: boolean;
	callbackSurroundings(): CallbackSurroundings;
}

interface InputFile {
	readonly name: string | undefined;
	readonly bytes: Buffer;
}

/** The files of one item, wherever this n8n keeps them: in memory, on disk, in a database or bucket. */
export interface ItemFiles {
	/** Where the item has files. */
	readonly names: string;
	/** Undefined if none was added. Other files of the item stay, as in n8n's own nodes. */
	readonly output: IBinaryKeyData | undefined;
	/** Undefined if the item has no file of this name. */
	find(field: string): Promise<InputFile | undefined>;
	read(field: string, label: string): Promise<InputFile>;
	add(field: string, file: { name: string; mimeType: string; bytes: Buffer }): Promise<void>;
}

/** What an operation can use, for one item. */
export interface ItemContext extends Surroundings {
	readonly itemIndex: number;
	/** Of the workflow, such as `Europe/Berlin`: what a date without a time zone means. */
	readonly timeZone: string;
	readonly clock: Clock;
	/** Shown to the user at the end. */
	readonly report: RunReport;
	readonly phoneChecks: PhoneChecks;
	readonly files: ItemFiles;
	/** How many requests can be on their way at once. */
	readonly width: number;
	/** Once aborted, no further request starts. */
	readonly stop: AbortSignal;
	/** For work that needs the memory, or the pace, of the whole run: the items come one after the other. */
	inTurn<T>(work: () => Promise<T>): Promise<T>;
	/** Sends a request for this item and returns the validated record. */
	send<Method extends ServiceMethod & { readonly name: MethodName }>(
		method: Method,
		parameters: z.input<Method['request']>,
		options?: Pick<SendOptions, 'deadline' | 'attempts'>,
	): Promise<z.output<Method['response']>>;
	/**
	 * Requests what the service would not recognize as a repetition. When n8n runs the node again for this item with the
	 * same values, the kept result is returned, as long as it is valid.
	 */
	once(
		values: ReadonlyArray<string | number>,
		validity: Validity,
		request: () => Promise<OutputRecord>,
	): Promise<OutputRecord>;
	/** Stays the same when n8n runs the node again for this item; changes with each pass of a loop. */
	idempotencyKey(phone: PhoneDigits, delivery: string): string;
	/** Seals a callback URL with the credential's key; each seal is unique. */
	sealCallback(url: string, seal: Omit<CallbackSeal, 'issuer' | 'nonce'>): Promise<string>;
	callGuards(): Promise<CallGuards>;
	/** Whether the service itself is in the local network. */
	isServicePrivate(): Promise<boolean>;
	/** Tells the Wait of this execution whose call to accept, and to which number. */
	rememberRequest(call: RequestedCall): void;
	/** Undefined if this execution has not requested the call. */
	requestedCall(callId: string): RequestedCall | undefined;
	/** Puts the execution to wait for a call. If none resumes it, the item is output with these fields. */
	suspend(until: Date, call: RequestedCall, output: OutputRecord): Promise<OutputRecord>;
	/** Whether further requests would fail without being sent. */
	hasGivenUp(): boolean;
	/** Shown with the node's output in the editor. */
	hint(message: string): void;
	/** For n8n's log. */
	warn(message: string): void;
}

/** One operation: what the editor shows, which values it accepts, and what it does. */
export interface Operation<Parameters extends z.ZodTypeAny = z.ZodTypeAny> extends OutputShape {
	readonly value: string;
	readonly name: string;
	/** Shown in the node picker, and to a model as the tool's description: "<action> in Call Verification". */
	readonly action: string;
	readonly description: string;
	/** For models that build workflows: costs, limits, and what must come first. */
	readonly builderHint?: string;
	/**
	 * Shown in the editor before the node runs and costs money, if the n8n expression `when` is true. The items are not
	 * known yet, but an expression as phone number usually means a list.
	 */
	readonly hintBeforeRun?: { readonly when: string; readonly message: string };
	/** As the README shows it. */
	readonly costs: 'yes' | 'no' | 'varies';
	/** False if an AI agent cannot use the operation. */
	readonly isForTools?: false;
	readonly fields: INodeProperties[];
	/** Options that apply to the whole run: the first item decides. */
	readonly optionsOfRun?: readonly string[];
	/** Keys are the names of `fields`. An option that is not entered has its field's default, unless that is empty. */
	readonly parameters: Parameters;
	/** Throws if the values are valid on their own, but not together or not here. */
	check?(parameters: z.output<Parameters>, surroundings: Surroundings): void;
	/** Like `check`, for what takes time. Only if a failure of one item would end the run of others. */
	verify?(parameters: z.output<Parameters>, item: ItemContext): Promise<void>;
	run(parameters: z.output<Parameters>, item: ItemContext): Promise<OutputRecord>;
}

export interface Resource {
	readonly value: string;
	readonly name: string;
	readonly operations: readonly Operation[];
}

/** Infers the type of `run`'s parameters from the schema. */
export function defineOperation<Parameters extends z.ZodTypeAny>(
	operation: Operation<Parameters>,
): Operation {
	return operation;
}
