import { randomBytes } from 'node:crypto';

import type { IDisplayOptions, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { z } from 'zod';

import { CallGuards, idempotencyKey, passOf } from '../codes/callGuards';
import type { MethodName, ServiceMethod } from '../contract/methods';
import {
	rememberAwaited,
	rememberRequest,
	type RequestedCall,
	requestedBy,
} from '../inbound/awaitedCall';
import { type CallbackSeal, sealCallback, sealNonce } from '../inbound/callbackSeal';
import { type CallbackSurroundings, isPrivateHost, registeredPaths } from '../inbound/callbackUrl';
import { KeptResults, type Validity } from '../pacing/budget';
import { adaptiveLimit, fixedWidth, keepLimit, type Limit, takeKeptLimit } from '../pacing/limit';
import { RateLimit, WIDEST } from '../pacing/quota';
import { GiveUp } from '../pacing/retry';
import { type Clock, Mutex, throwIfStopped } from '../pacing/time';
import type { PhoneDigits } from '../phones/phone';
import { PhoneChecks } from '../phones/phoneChecks';
import { type AccountDigest, accountDigest, connect } from '../transport/credential';
import { pipeline, requestSteps, type SendOptions } from '../transport/pipeline';
import { itemFiles } from './itemFiles';
import { OptionValues, type RequestOptions } from './options';
import { InputFields, type OutputRecord, type OutputShape, RunReport } from './output';

/** Hides what would make an AI tool wait, or reveal secrets to a model. */
export const notForTools: IDisplayOptions = { hide: { '@tool': [true] } };

/** What is known before anything is sent. */
export type Surroundings = Pick<
	RunContext,
	'itemCount' | 'isTool' | 'timeZone' | 'callbackSurroundings'
>;

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

/** What n8n passes to the run, known even if the request options are invalid. */
export type RunInput = ReturnType<typeof readInput>;

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

/** What all items of one run of the node share. */
export class RunContext {
	readonly itemCount: number;
	/** A tool must respond at once and must not reveal the code to a model. */
	readonly isTool: boolean;
	/** Of the workflow, such as `Europe/Berlin`: what a date without a time zone means. */
	readonly timeZone: string;
	readonly report: RunReport;
	readonly keptResults: KeptResults;
	readonly phoneChecks: PhoneChecks;
	readonly sendOptions: SendOptions;
	readonly giveUp: GiveUp;
	/** How many items, or numbers of a file, are processed at once. */
	readonly width: number;
	readonly mutex = new Mutex();
	private readonly hints = new Set<string>();
	private connection: ReturnType<RunContext['connect']> | undefined;
	private guards: CallGuards | undefined;
	private surroundings: CallbackSurroundings | undefined;
	private leaveLimit = () => {};

	constructor(
		readonly input: RunInput,
		private readonly requestOptions: RequestOptions,
		readonly clock: Clock,
		private readonly random: () => number,
	) {
		const { context, items, isTool } = input;
		const { concurrency, timeout, maxRetries, giveUpAfter } = requestOptions;
		this.itemCount = items.length;
		this.isTool = isTool;
		this.timeZone = context.getTimezone();
		this.report = new RunReport(items.length);
		this.keptResults = new KeptResults(context.getExecuteData(), context.getContext('node'));
		this.phoneChecks = new PhoneChecks(this.keptResults, clock);
		this.giveUp = new GiveUp(clock, giveUpAfter * 1_000);
		const onRetry = () => (this.report.retries += 1);
		this.sendOptions = { timeout: timeout * 1_000, maxRetries, onRetry };
		this.width = concurrency === 0 ? WIDEST : concurrency;
	}

	/** At the first item's need, so that an unreadable credential is the error of that item, and “On Error” applies. */
	async connected() {
		return await (this.connection ??= this.connect());
	}

	async callGuards(): Promise<CallGuards> {
		const { access } = await this.connected();
		return (this.guards ??= new CallGuards(this.input.context, access, this.clock, this.isTool));
	}

	/** Evaluated once, because expressions take time and the result is the same for all items. */
	callbackSurroundings(): CallbackSurroundings {
		const { context } = this.input;
		return (this.surroundings ??= {
			resumeUrl: String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0)),
			triggerPaths: registeredPaths(context),
			isPublished: context.getWorkflow().active,
			isManual: context.getMode() === 'manual',
		});
	}

	/** Shows each text only once. */
	hint(message: string, type: 'info' | 'warning'): void {
		if (this.hints.has(message)) return;
		this.hints.add(message);
		// Missing before n8n 1.79. Throwing here would lose results that are already paid for.
		this.input.context.addExecutionHints?.({ message, type, location: 'outputPane' });
	}

	/** Passes on to the next run what this one has learned about the service. */
	end(): void {
		this.leaveLimit();
	}

	private async connect() {
		const { clock, random, giveUp } = this;
		const connection = await connect(this.input.context);
		const { access } = connection;
		const digest = accountDigest(access);
		const steps = requestSteps({
			...connection,
			giveUp,
			limit: this.takeLimit(digest),
			clock,
			random,
		});
		return { access, digest, pipeline: pipeline(access, steps) };
	}

	/** A short list only needs a few slots, and would teach the next run a limit that is too low. */
	private takeLimit(digest: AccountDigest): Limit {
		const { clock, report } = this;
		const { concurrency, requestsPerSecond } = this.requestOptions;
		const newLimit = () => {
			const isPaced = requestsPerSecond > 0;
			const rate = isPaced ? new RateLimit(clock, requestsPerSecond, digest('rate')) : undefined;
			return concurrency === 0 ? adaptiveLimit(clock, rate) : fixedWidth(clock, concurrency, rate);
		};
		const account = digest('limit', concurrency, requestsPerSecond);
		const isLong = () => report.total >= WIDEST;
		const limit = (isLong() ? takeKeptLimit(account, clock) : undefined) ?? newLimit();
		this.leaveLimit = () => {
			// If items failed, the service may have been down, so the next run starts fresh.
			if (isLong() && report.failed === 0) keepLimit(account, limit, clock);
		};
		return limit;
	}
}

export type ItemContext = ReturnType<typeof createItemContext>;

/** What an operation can use, for one item. */
export function createItemContext(run: RunContext, itemIndex: number, stop: AbortSignal) {
	const { clock, report, phoneChecks, width, keptResults, itemCount, isTool, timeZone } = run;
	const { context, items } = run.input;
	return {
		itemIndex,
		itemCount,
		isTool,
		timeZone,
		clock,
		/** Shown to the user at the end. */
		report,
		phoneChecks,
		files: itemFiles(context, itemIndex),
		/** How many requests can be on their way at once. */
		width,
		/** Once aborted, no further request starts. */
		stop,
		/** For work that needs the memory, or the pace, of the whole run: the items come one after the other. */
		async inTurn<T>(work: () => Promise<T>): Promise<T> {
			return await run.mutex.run('', async () => {
				throwIfStopped(stop);
				return await work();
			});
		},
		/** Sends a request for this item and returns the validated record. */
		async send<Method extends ServiceMethod & { readonly name: MethodName }>(
			method: Method,
			parameters: z.input<Method['request']>,
			options?: Pick<SendOptions, 'deadline' | 'attempts'>,
		): Promise<z.output<Method['response']>> {
			const { pipeline: sendThrough } = await run.connected();
			return await sendThrough(method, parameters, { ...run.sendOptions, ...options, stop });
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
			const { digest } = await run.connected();
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
		/** Seals a callback URL with the credential's key; each seal is unique. */
		async sealCallback(url: string, seal: Omit<CallbackSeal, 'issuer' | 'nonce'>) {
			const { access } = await run.connected();
			const issuer = String(context.getWorkflow().id ?? '');
			const nonce = sealNonce(randomBytes);
			return sealCallback(url, { ...seal, issuer, nonce }, access.secretKey);
		},
		callGuards: () => run.callGuards(),
		callbackSurroundings: () => run.callbackSurroundings(),
		/** Whether the service itself is in the local network. */
		isServicePrivate: async () => isPrivateHost((await run.connected()).access.baseUrl),
		/** Tells the Wait of this execution whose call to accept, and to which number. */
		rememberRequest: (call: RequestedCall) => rememberRequest(context, call),
		/** Undefined if this execution has not requested the call. */
		requestedCall: (callId: string) => requestedBy(context, callId),
		/** Puts the execution to wait for a call. If none resumes it, the item is output with these fields. */
		async suspend(until: Date, call: RequestedCall, output: OutputRecord): Promise<OutputRecord> {
			rememberAwaited(context, call);
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
		/** Shown with the node's output in the editor. */
		hint: (message: string) => run.hint(message, 'warning'),
		/** For n8n's log. */
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
