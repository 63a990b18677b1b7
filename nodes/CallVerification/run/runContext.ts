import type { IExecuteFunctions } from 'n8n-workflow';

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
import type { CallbackSurroundings } from '../inbound/callback';
import { registeredPaths } from '../inbound/triggerRegistry';
import { EarlierTries } from './earlierTries';
import { InputFields } from './inputFields';
import type { Resource } from './operation';
import type { OptionValues } from './optionValues';
import { PhoneChecks } from './phoneChecks';
import type { RequestOptions } from './requestOptions';
import { RunReport } from './runReport';

const keptLimits = new KeptLimits();
const lastStarts = new LastStarts();

interface RunConnection {
	readonly access: ServiceAccess;
	readonly pipeline: Next;
	readonly callGuards: CallGuards;
}

/** What all items of one run of the node share. */
export class RunContext {
	readonly itemCount: number;

	readonly report: RunReport;

	readonly earlierTries: EarlierTries;

	readonly phoneChecks: PhoneChecks;

	readonly inputFields: InputFields;

	readonly isTool: boolean;

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
		readonly context: IExecuteFunctions,
		readonly resources: readonly Resource[],
		readonly clock: Clock,
		private readonly random: () => number,
		private readonly options: RequestOptions,
		readonly optionValues: OptionValues,
	) {
		const { concurrency, timeout, maxRetries, giveUpAfter } = options;
		const items = context.getInputData();
		this.itemCount = items.length;
		this.report = new RunReport(this.itemCount);
		this.inputFields = new InputFields(items);
		this.earlierTries = new EarlierTries(context.getExecuteData(), context.getContext('node'));
		this.phoneChecks = new PhoneChecks(this.earlierTries, clock);
		this.isTool = isToolRun(context);
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
		return (this.surroundings ??= {
			resumeUrl: String(this.context.evaluateExpression('{{ $execution.resumeUrl }}', 0)),
			triggerPaths: registeredPaths(this.context),
			isPublished: this.context.getWorkflow().active,
			isManual: this.context.getMode() === 'manual',
		});
	}

	/** Shows each text only once. */
	hint(message: string, type: 'info' | 'warning'): void {
		if (this.hints.has(message)) return;
		this.hints.add(message);
		// Missing before n8n 1.79. Throwing here would lose results that are already paid for.
		this.context.addExecutionHints?.({ message, type, location: 'outputPane' });
	}

	/** Adds to the report what all tries have cost, and what this one did not have to request. */
	countUp(): void {
		const { budget, reused } = this.earlierTries;
		this.report.cost = budget.known;
		this.report.unpriced = budget.unknown;
		this.report.reused = reused;
	}

	/** Passes on to the next run what this one has learned about the service. */
	end(): void {
		this.leaveLimit();
	}

	private async connect(): Promise<RunConnection> {
		const { clock, random, giveUp } = this;
		const connection = await connect(this.context);
		const { access } = connection;
		const callGuards = new CallGuards(this.context, access, clock, this.isTool);
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
		const { requestsPerSecond } = this.options;
		if (requestsPerSecond === 0) return undefined;
		return rateLimit(this.clock, requestsPerSecond, { lastStarts, account: digest('rate') });
	}

	/** A short list only needs a few slots, and would teach the next run a limit that is too low. */
	private takeLimit({ digest }: CallGuards): Limit {
		const { clock, report } = this;
		const { concurrency, requestsPerSecond } = this.options;
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

/** n8n 1.x cannot tell whether it runs a tool, but in all versions the type of a tool ends like this. */
export function isToolRun(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;
}
