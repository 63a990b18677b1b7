import { randomBytes } from 'node:crypto';

import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { CallGuards, idempotencyKey, passOf } from '../codes/callGuards';
import { InputError } from '../contract/request';
import { rememberAwaited, rememberRequest, requestedBy } from '../inbound/awaitedCall';
import { sealCallback, sealNonce } from '../inbound/callbackSeal';
import { type CallbackSurroundings, isPrivateHost, registeredPaths } from '../inbound/callbackUrl';
import { KeptResults } from '../pacing/budget';
import { adaptiveLimit, fixedWidth, keepLimit, type Limit, takeKeptLimit } from '../pacing/limit';
import { RateLimit, WIDEST } from '../pacing/quota';
import { GiveUp } from '../pacing/retry';
import { type Clock, Mutex, throwIfStopped } from '../pacing/time';
import { PhoneChecks } from '../phones/phoneChecks';
import { type AccountDigest, accountDigest, connect } from '../transport/credential';
import { pipeline, requestSteps, type SendOptions } from '../transport/pipeline';
import type { ItemContext, ItemFiles, Resource, Surroundings } from './operation';
import { OptionValues, type RequestOptions } from './options';
import { InputFields, RunReport } from './output';

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
export class RunContext implements Surroundings {
	readonly itemCount: number;
	readonly isTool: boolean;
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

/** n8n, as one item's operation sees it. */
export function createItemContext(
	run: RunContext,
	itemIndex: number,
	stop: AbortSignal,
): ItemContext {
	const { clock, report, phoneChecks, width, keptResults, itemCount, isTool } = run;
	const { context, items } = run.input;
	return {
		itemIndex,
		itemCount,
		isTool,
		timeZone: context.getTimezone(),
		clock,
		report,
		phoneChecks,
		files: itemFiles(context, itemIndex),
		width,
		stop,
		inTurn: async (work) =>
			await run.mutex.run('', async () => {
				throwIfStopped(stop);
				return await work();
			}),
		async send(method, parameters, options) {
			const { pipeline: sendThrough } = await run.connected();
			return await sendThrough(method, parameters, { ...run.sendOptions, ...options, stop });
		},
		async once(values, validity, request) {
			const { digest } = await run.connected();
			// As a fingerprint, because n8n stores it, and a callback URL is a secret.
			const key = digest('once', itemIndex, ...values);
			const known = keptResults.find(key, clock.wallTime());
			if (known !== undefined) return known;
			const record = await request();
			keptResults.add(key, record, validity);
			return record;
		},
		idempotencyKey: (phone, delivery) =>
			idempotencyKey([...keyOfRun(context, isTool), itemIndex, phone, delivery]),
		async sealCallback(url, seal) {
			const { access } = await run.connected();
			const issuer = String(context.getWorkflow().id ?? '');
			const nonce = sealNonce(randomBytes);
			return sealCallback(url, { ...seal, issuer, nonce }, access.secretKey);
		},
		callGuards: () => run.callGuards(),
		callbackSurroundings: () => run.callbackSurroundings(),
		isServicePrivate: async () => isPrivateHost((await run.connected()).access.baseUrl),
		rememberRequest: (call) => rememberRequest(context, call),
		requestedCall: (callId) => requestedBy(context, callId),
		async suspend(until, call, output) {
			rememberAwaited(context, call);
			const item = items[itemIndex];
			const json = { ...item?.json, ...output };
			// On a timeout, n8n outputs the node's input. A new object, because the old one is also the stored output
			// of the previous node.
			if (item !== undefined) item.json = json as typeof item.json;
			await context.putExecutionToWait(until);
			return json;
		},
		hasGivenUp: () => run.giveUp.reason !== undefined,
		hint: (message) => run.hint(message, 'warning'),
		warn: (message) => context.logger.warn(message),
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

function itemFiles(context: IExecuteFunctions, itemIndex: number): ItemFiles {
	const { helpers } = context;
	/** No object, because a field may be called `__proto__`. */
	const added = new Map<string, IBinaryData>();
	const input = () => context.getInputData()[itemIndex]?.binary ?? {};
	return {
		get names() {
			return Object.keys(input()).join(', ');
		},
		get output() {
			return added.size === 0 ? undefined : { ...input(), ...Object.fromEntries(added) };
		},
		async find(field) {
			const data = fileData(context, itemIndex, field);
			if (data === undefined) return undefined;
			const bytes = await helpers.getBinaryDataBuffer(itemIndex, field);
			return { name: data.fileName, bytes };
		},
		async read(field, label) {
			const file = await this.find(field);
			if (file !== undefined) return file;
			throw new InputError(
				`The input item has no file in “${field}”`,
				this.names === ''
					? 'It has no file at all. Place a node before this one that outputs a file, such as a form with a file field or “Read/Write Files from Disk”.'
					: `Its files are in: ${this.names}. Enter one of these in “${label}”.`,
			);
		},
		async add(field, { bytes, name, mimeType }) {
			added.set(field, await helpers.prepareBinaryData(bytes, name, mimeType));
		},
	};
}

/** By n8n's helper, because a workflow can have its files among the fields. */
function fileData(
	{ helpers }: IExecuteFunctions,
	itemIndex: number,
	field: string,
): IBinaryData | undefined {
	try {
		const data = helpers.assertBinaryData(itemIndex, field);
		// It also finds what every object has, such as `constructor`.
		return typeof data.mimeType === 'string' ? data : undefined;
	} catch {
		return undefined;
	}
}
