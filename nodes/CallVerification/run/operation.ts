import { randomBytes } from 'node:crypto';

import type { IDisplayOptions, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { z } from 'zod';

import { idempotencyKey } from '../codes/call';
import { CallGuards, passOf } from '../codes/callGuards';
import type { MethodName, ServiceMethod } from '../contract/methods';
import * as awaitedCall from '../inbound/awaitedCall';
import { type CallbackSeal, sealCallback, sealNonce } from '../inbound/callbackSeal';
import {
	type CallbackSurroundings,
	confirmTrigger,
	isPrivateHost,
	registeredPaths,
	unconfirmedPaths,
} from '../inbound/callbackUrl';
import { KeptResults, type Validity } from '../pacing/budget';
import { adaptiveLimit, fixedWidth } from '../pacing/limit';
import { keepLimit, takeKeptLimit } from '../pacing/processMemory';
import { WIDEST } from '../pacing/quota';
import { rateLimit } from '../pacing/rateLimit';
import { GiveUp } from '../pacing/retry';
import { type Clock, Mutex, throwIfStopped } from '../pacing/time';
import type { PhoneDigits } from '../phones/phone';
import { PhoneChecks } from '../phones/phoneChecks';
import { accountDigest, connect } from '../transport/credential';
import { pipeline, requestSteps, type SendOptions } from '../transport/pipeline';
import { neverHtml } from '../transport/redact';
import { itemFiles } from './itemFiles';
import { OptionValues, type RequestOptions } from './options';
import { InputFields, type OutputRecord, type OutputShape, RunReport } from './output';

/** Hides what would make an AI tool wait, or reveal secrets to a model. */
export const notForTools: IDisplayOptions = { hide: { '@tool': [true] } };

export type Surroundings = Pick<
	RunContext,
	'itemCount' | 'isTool' | 'timeZone' | 'callbackSurroundings'
>;

export interface Operation<Parameters extends z.ZodTypeAny = z.ZodTypeAny> extends OutputShape {
	readonly value: string;
	readonly name: string;
	/** A model sees it as the tool's description: "<action> in Call Verification". */
	readonly action: string;
	readonly description: string;
	/** For models that build workflows: costs, limits, and what must come first. */
	readonly builderHint?: string;
	/** Shown before the node runs and costs money, if the expression `when` is true. The items are not known yet. */
	readonly hintBeforeRun?: { readonly when: string; readonly message: string };
	readonly costs: 'yes' | 'no' | 'varies';
	readonly isForTools?: false;
	readonly fields: INodeProperties[];
	/** They apply to the whole run: the first item decides. */
	readonly optionsOfRun?: readonly string[];
	/** Keys are the names of `fields`. An option that is not entered has its field's default, unless that is empty. */
	readonly parameters: Parameters;
	/** Throws if the values are valid on their own, but not together or not here. Nothing has been sent yet. */
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

export type RunInput = ReturnType<typeof readInput>;

/** What n8n passes to the run, known even if the request options are invalid. */
export function readInput(context: IExecuteFunctions, resources: readonly Resource[]) {
	// n8n 1.x cannot tell whether it runs a tool, but in all versions the type of a tool ends like this.
	const isTool = context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
	const items = context.getInputData();
	return {
		context,
		resources,
		items,
		isTool,
		// Whether a failed item becomes an output item instead of ending the run. Depending on n8n's version, an error
		// thrown by a tool ends the agent or reaches the model as empty text.
		continues: context.continueOnFail() || isTool,
		inputFields: new InputFields(items),
		optionValues: new OptionValues(context, isTool),
	};
}

export type RunContext = ReturnType<typeof createRun>;

/** What all items of one run of the node share. */
export function createRun(
	input: RunInput,
	options: RequestOptions,
	clock: Clock,
	random: () => number,
) {
	const { context, items, isTool } = input;
	const { concurrency, requestsPerSecond: perSecond, timeout, maxRetries, giveUpAfter } = options;
	const report = new RunReport(items.length);
	const keptResults = new KeptResults(context.getExecuteData(), context.getContext('node'), isTool);
	const giveUp = new GiveUp(clock, giveUpAfter * 1_000);
	const hints = new Set<string>();
	let connection: ReturnType<typeof connectRun> | undefined;
	let guards: CallGuards | undefined;
	let surroundings: CallbackSurroundings | undefined;
	let confirmation: Promise<void> | undefined;
	let passOnLimit = () => {};

	const connectRun = async () => {
		const found = await connect(context);
		const { access } = found;
		const digest = accountDigest(access);
		const limitId = digest('limit', concurrency, perSecond);
		const rate = perSecond > 0 ? rateLimit(clock, perSecond, digest('rate')) : undefined;
		// A short list only needs a few slots, and would teach the next run a limit that is too low.
		const isLong = () => report.total >= WIDEST;
		const newLimit = () =>
			concurrency === 0 ? adaptiveLimit(clock, rate) : fixedWidth(clock, concurrency, rate);
		const keptLimit = isLong() ? takeKeptLimit(limitId, clock) : undefined;
		const limit = keptLimit ?? newLimit();
		passOnLimit = () => {
			// If items failed, the service may have been down, so the next run starts fresh.
			if (isLong() && report.failed === 0) keepLimit(limitId, limit, clock);
		};
		const send = pipeline(access, requestSteps({ ...found, giveUp, limit, clock, random }));
		return { access, digest, send };
	};

	/** Evaluated once, because expressions take time and the result is the same for all items. */
	const callbackSurroundings = () => {
		surroundings ??= {
			resumeUrl: String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0)),
			triggerPaths: registeredPaths(context),
			unconfirmedPaths: unconfirmedPaths(context),
			isPublished: context.getWorkflow().active,
			isManual: context.getMode() === 'manual',
		};
		return surroundings;
	};

	/** Only when an item needs it, so that an unreadable credential is the error of that item, and “On Error” applies. */
	const connected = async () => {
		connection ??= connectRun();
		return await connection;
	};

	return {
		input,
		isTool,
		itemCount: items.length,
		/** Of the workflow, such as `Europe/Berlin`: what a date without a time zone means. */
		timeZone: context.getTimezone(),
		clock,
		report,
		keptResults,
		giveUp,
		phoneChecks: new PhoneChecks(keptResults, clock),
		sendOptions: { timeout: timeout * 1_000, maxRetries, onRetry: () => (report.retries += 1) },
		/** Items, or numbers of a file, that are processed at once. */
		width: concurrency === 0 ? WIDEST : concurrency,
		mutex: new Mutex(),
		connected,
		async callGuards() {
			const { access } = await connected();
			guards ??= new CallGuards(context, access, clock, random, isTool);
			return guards;
		},
		/** Passes on to the next run what this one has learned about the service. */
		end: () => passOnLimit(),
		callbackSurroundings,
		/** Throws unless the workflow's own trigger, which this URL leads to, is published. */
		async confirmOwnTrigger(url: string): Promise<void> {
			if (callbackSurroundings().triggerPaths.length > 0) return;
			confirmation ??= confirmTrigger(context, url);
			await confirmation;
		},
		/** Shows each text only once. */
		hint(message: string, type: 'info' | 'warning' = 'warning'): void {
			if (hints.has(message)) return;
			hints.add(message);
			// Missing before n8n 1.79. Throwing here would lose results that are already paid for.
			const hint = { message: neverHtml(message), type, location: 'outputPane' } as const;
			context.addExecutionHints?.(hint);
		},
	};
}

export type ItemContext = ReturnType<typeof createItemContext>;

/** What an operation can use. Named one by one, because to spread what a run shares takes ten times as long. */
export function createItemContext(run: RunContext, itemIndex: number, stop: AbortSignal) {
	const { context, items, isTool } = run.input;
	const { clock, report, phoneChecks, width, connected, keptResults, sendOptions } = run;
	const { itemCount, timeZone, callGuards, callbackSurroundings, confirmOwnTrigger, hint } = run;
	return {
		itemIndex,
		itemCount,
		isTool,
		timeZone,
		clock,
		report,
		phoneChecks,
		width,
		callGuards,
		callbackSurroundings,
		confirmOwnTrigger,
		hint,
		files: itemFiles(context, itemIndex),
		/** Once aborted, no further request starts. */
		stop,
		/** For work that needs the memory, or the pace, of the whole run: the items come one after the other. */
		async inTurn<T>(work: () => Promise<T>): Promise<T> {
			return await run.mutex.run('', async () => {
				throwIfStopped(stop);
				return await work();
			});
		},
		async send<Method extends ServiceMethod & { readonly name: MethodName }>(
			method: Method,
			parameters: z.input<Method['request']>,
			options?: Pick<SendOptions, 'deadline' | 'attempts'>,
		): Promise<z.output<Method['response']>> {
			const { send } = await connected();
			return await send(method, parameters, { ...sendOptions, ...options, stop });
		},
		/**
		 * Requests what the service would not recognize as a repetition. When n8n runs the node again for this item with
		 * the same values, the kept result is returned, as long as it is valid.
		 */
		async once(
			values: ReadonlyArray<string | number>,
			validity: Validity,
			request: () => Promise<OutputRecord>,
		): Promise<OutputRecord> {
			const { digest } = await connected();
			// As a fingerprint, because n8n stores it, and a callback URL is a secret.
			const key = digest('once', itemIndex, ...values);
			const known = keptResults.find(key, clock.wallTime());
			if (known !== undefined) return known;
			const record = await request();
			keptResults.add(key, record, validity);
			return record;
		},
		/** Stays the same when n8n runs the node again for this item; changes with each pass of a loop. */
		idempotencyKey: (phone: PhoneDigits, delivery: string) =>
			idempotencyKey([...keyOfRun(context, isTool), itemIndex, phone, delivery]),
		async sealCallback(url: string, seal: Omit<CallbackSeal, 'issuer' | 'nonce'>) {
			const { access } = await connected();
			const issuer = String(context.getWorkflow().id ?? '');
			const nonce = sealNonce(randomBytes);
			return sealCallback(url, { ...seal, issuer, nonce }, access.secretKey);
		},
		isServicePrivate: async () => isPrivateHost((await connected()).access.baseUrl),
		/** Tells the Wait of this execution whose call to accept, and to which number. */
		rememberRequest: (call: awaitedCall.RequestedCall) =>
			awaitedCall.rememberRequest(context, call),
		/** Undefined if this execution has not requested the call. */
		requestedCall: (callId: string) => awaitedCall.requestedBy(context, callId),
		/** Puts the execution to wait for a call. If none resumes it, the item is output with these fields. */
		async suspend(
			until: Date,
			call: awaitedCall.RequestedCall,
			output: OutputRecord,
		): Promise<OutputRecord> {
			awaitedCall.rememberAwaited(context, call);
			const item = items[itemIndex];
			const json = { ...item?.json, ...output };
			// On a timeout, n8n outputs the node's input. A new object, because the old one is also the stored output
			// of the previous node.
			if (item !== undefined) item.json = json as typeof item.json;
			await context.putExecutionToWait(until);
			return json;
		},
		/** Whether further requests would fail without being sent. */
		hasGivenUp: () => run.giveUp.reason !== undefined,
		warn: (message: string) => context.logger.warn(message),
	};
}

/** Instance and workflow are part of the key, because two n8n instances may have the same imported workflow. */
function keyOfRun(context: IExecuteFunctions, isTool: boolean) {
	// Retrying a failed execution creates one with a new ID and the stored data of the old one, including this memory.
	const memory = context.getContext('node');
	memory.firstExecutionId ??= context.getExecutionId();
	return [
		context.getInstanceId(),
		context.getWorkflow().id,
		String(memory.firstExecutionId),
		context.getNode().id,
		passOf(context, isTool),
	];
}
