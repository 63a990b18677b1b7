import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { connect, type ServiceAccess } from '../transport/credential';
import { type Next, pipeline, requestSteps, type SendOptions } from '../transport/pipeline';
import { adaptiveLimit, fixedLimit } from '../pacing/adaptiveLimit';
import type { Clock } from '../pacing/clock';
import { WIDEST } from '../pacing/concurrencyLimit';
import { KeptLimits } from '../pacing/keptLimits';
import type { Limit } from '../pacing/requestQueue';
import { GiveUp } from '../pacing/giveUp';
import { LastStarts, type RateLimit, rateLimit } from '../pacing/rateLimit';
import { Mutex } from '../pacing/pool';
import { CallGuards } from '../codes/callGuards';
import { PhoneChecks } from '../phones/phoneChecks';
import { type CallbackSurroundings, registeredPaths } from '../inbound/callbackUrl';
import { KeptResults } from './keptResults';
import type { Resource } from './operation';
import { OptionValues } from './options';
import { InputFields } from './output';
import { RunReport } from './report';
import type { RequestOptions } from './requestOptions';

const keptLimits = new KeptLimits();
const lastStarts = new LastStarts();

interface RunConnection {
	readonly access: ServiceAccess;
	readonly pipeline: Next;
	readonly callGuards: CallGuards;
}

/** What n8n passes to the run, known even if the request options are invalid. */
export class RunInput {
	readonly items: INodeExecutionData[];
	readonly inputFields: InputFields;
	readonly optionValues: OptionValues;
	readonly isTool: boolean;
	/** Whether a failed item becomes an output item instead of ending the run. */
	readonly continues: boolean;

	constructor(
		readonly context: IExecuteFunctions,
		readonly resources: readonly Resource[],
	) {
		// n8n 1.x cannot tell whether it runs a tool, but in all versions the type of a tool ends like this.
		this.isTool = context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
		// Depending on n8n's version, an error thrown by a tool ends the agent or reaches the model as empty text.
		this.continues = context.continueOnFail() || this.isTool;
		this.items = context.getInputData();
		this.inputFields = new InputFields(this.items);
		this.optionValues = new OptionValues(context, this.isTool);
	}
}

/** What all items of one run of the node share. */
export class RunContext {
	readonly report: RunReport;
	readonly keptResults: KeptResults;
	readonly phoneChecks: PhoneChecks;
	readonly sendOptions: SendOptions;
	readonly giveUp: GiveUp;
	/** How many items, or numbers of a file, are processed at once. */
	readonly width: number;
	readonly mutex = new Mutex();
	private readonly hints = new Set<string>();
	private connection: Promise<RunConnection> | undefined;
	private surroundings: CallbackSurroundings | undefined;
	private leaveLimit = () => {};

	constructor(
		readonly input: RunInput,
		private readonly requestOptions: RequestOptions,
		readonly clock: Clock,
		private readonly random: () => number,
	) {
		const { context, items } = input;
		const { concurrency, timeout, maxRetries, giveUpAfter } = requestOptions;
		this.report = new RunReport(items.length);
		this.keptResults = new KeptResults(context.getExecuteData(), context.getContext('node'));
		this.phoneChecks = new PhoneChecks(this.keptResults, clock);
		this.giveUp = new GiveUp(clock, giveUpAfter * 1_000);
		this.sendOptions = {
			timeout: timeout * 1_000,
			maxRetries,
			onRetry: () => (this.report.retries += 1),
		};
		this.width = concurrency === 0 ? WIDEST : concurrency;
	}

	/**
	 * Created when the first item needs it, so that an unreadable credential is the error of that item, and “On Error”
	 * applies.
	 */
	async connected(): Promise<RunConnection> {
		return await (this.connection ??= this.connect());
	}

	/** Evaluated once, because expressions take time and the result is the same for all items. */
	get callbackSurroundings(): CallbackSurroundings {
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

	private async connect(): Promise<RunConnection> {
		const { clock, random, giveUp } = this;
		const { context, isTool } = this.input;
		const connection = await connect(context);
		const { access } = connection;
		const callGuards = new CallGuards(context, access, clock, isTool);
		const steps = requestSteps({
			...connection,
			giveUp,
			limit: this.takeLimit(callGuards),
			rateLimit: this.rateLimitOf(callGuards),
			clock,
			random,
		});
		return { access, callGuards, pipeline: pipeline(steps) };
	}

	private rateLimitOf({ digest }: CallGuards): RateLimit | undefined {
		const { requestsPerSecond } = this.requestOptions;
		if (requestsPerSecond === 0) return undefined;
		return rateLimit(this.clock, requestsPerSecond, { lastStarts, account: digest('rate') });
	}

	/** A short list only needs a few slots, and would teach the next run a limit that is too low. */
	private takeLimit({ digest }: CallGuards): Limit {
		const { clock, report } = this;
		const { concurrency, requestsPerSecond } = this.requestOptions;
		const newLimit = () =>
			concurrency === 0 ? adaptiveLimit(clock) : fixedLimit(clock, concurrency);
		const account = digest('limit', concurrency, requestsPerSecond);
		const isLong = () => report.total >= WIDEST;
		const limit = (isLong() ? keptLimits.take(account, clock) : undefined) ?? newLimit();
		this.leaveLimit = () => {
			// If items failed, the service may have been down, so the next run starts fresh.
			if (isLong() && report.failed === 0) keptLimits.keep(account, limit, clock);
		};
		return limit;
	}
}
