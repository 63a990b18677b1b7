import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { SendOptions } from '../api/client';
import { adaptiveLimit } from '../runtime/adaptiveLimit';
import type { Clock } from '../runtime/clock';
import { fixedLimit } from '../runtime/fixedLimit';
import type { Limit } from '../runtime/limit';
import type { TakeTurn } from '../runtime/rateLimit';
import { rateLimit } from '../runtime/rateLimit';
import type { Connection } from './connect';
import { connect } from './connect';
import { isToolRun } from './isToolRun';
import { PhoneChecks } from './phoneNumber/phoneChecks';
import type { RequestOptions } from './requestOptions';
import { RunReport } from './runReport';

/** How many items are worked on at once when the node finds the speed by itself. */
const MOST_AT_ONCE = 64;

/** What all items of one run of the node share. */
export class NodeRun {
	readonly clock: Clock = { now: Date.now, sleep };

	readonly report: RunReport;

	readonly phoneChecks: PhoneChecks;

	readonly isTool: boolean;

	readonly sendOptions: SendOptions;

	/** How many items are worked on at once. */
	readonly width: number;

	private readonly limit: Limit;

	private readonly takeTurn: TakeTurn;

	private readonly hints = new Set<string>();

	private connection: Promise<Connection> | undefined;

	constructor(
		readonly context: IExecuteFunctions,
		{ concurrency, requestsPerSecond, timeout, maxRetries }: RequestOptions,
	) {
		this.report = new RunReport(context.getInputData().length);
		this.phoneChecks = new PhoneChecks(context.getExecuteData());
		this.isTool = isToolRun(context);
		this.sendOptions = {
			timeout: timeout * 1_000,
			maxRetries,
			onRetry: () => (this.report.retries += 1),
		};
		this.width = concurrency === 0 ? MOST_AT_ONCE : concurrency;
		this.limit =
			concurrency === 0 ? adaptiveLimit(this.clock) : fixedLimit(this.clock, concurrency);
		this.takeTurn =
			requestsPerSecond === 0 ? async () => {} : rateLimit(this.clock, requestsPerSecond);
	}

	/**
	 * Made when the first item asks for it: a credential that cannot be read is then the error of that
	 * item, and n8n's error settings apply to it.
	 */
	async connected(): Promise<Connection> {
		return await (this.connection ??= connect(this.context, {
			clock: this.clock,
			limit: this.limit,
			takeTurn: this.takeTurn,
		}));
	}

	/** Shows each text once, however many items cause it. */
	hint(message: string, type: 'info' | 'warning'): void {
		if (this.hints.has(message)) return;
		this.hints.add(message);
		this.context.addExecutionHints({ message, type, location: 'outputPane' });
	}
}
