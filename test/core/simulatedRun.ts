import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';

import { responseInItsNames } from '../../harness/emulatedService';
import { seededRandom } from '../simulatedService';
import { VirtualClock } from '../virtualClock';
import { CallVerification, resources, runItems } from '../../harness/engine/builtPackage';
import { type RunContext, type NodeRunResult, runNode } from '../../harness/engine/n8nCore';
import type { Reply } from './wire';

export interface SentRequest {
	/** Seconds since the run began. */
	readonly at: number;
	readonly origin: string;
	readonly method: string;
	readonly phone: string;
}

/** Answers a request after any time on the clock, or throws as n8n's request helper would. */
export type Service = (
	request: SentRequest,
	clock: VirtualClock,
	giveUp: AbortSignal,
) => Promise<Reply>;

export interface SimulatedRun extends NodeRunResult {
	/** The duration on the virtual clock. */
	seconds: number;
	sent: SentRequest[];
	/** Progress messages to n8n's log and the browser. */
	progress: string[];
	/** How often a parameter was read. */
	reads: number;
	/** The longest time that reading blocked the event loop, in milliseconds. */
	longestRead: number;
}

/** About how long n8n takes to evaluate an expression. */
const EXPRESSION_MS = 0.7;

/**
 * Runs the built node in n8n's engine, as `runNode` does, but on a virtual clock. The service behind n8n's request
 * helper uses it too: hours of an outage pass in a moment.
 */
export async function simulate({
	service = replying((request) => checked(request)),
	clock = new VirtualClock(),
	...run
}: RunContext & { service?: Service; clock?: VirtualClock }): Promise<SimulatedRun> {
	const beganAt = clock.now();
	const sent: SentRequest[] = [];
	const progress: string[] = [];
	let reads = 0;
	let stretch = 0;
	let longestRead = 0;
	const sleep = clock.sleep.bind(clock);
	clock.sleep = async (milliseconds) => {
		await sleep(milliseconds);
		stretch = 0;
	};
	const request = async function (
		this: IExecuteFunctions,
		_credential: string,
		{ url, body }: IHttpRequestOptions,
	) {
		const { origin, pathname } = new URL(url);
		const method = pathname.replace('/v1.0/', '');
		const { phone = '' } = (body ?? {}) as { phone?: string | number };
		const one = { at: (clock.now() - beganAt) / 1_000, origin, method, phone: String(phone) };
		sent.push(one);
		const giveUp = this.getExecutionCancelSignal() ?? new AbortController().signal;
		const { status = 200, headers = {}, body: answer } = await service(one, clock, giveUp);
		return { statusCode: status, headers, body: responseInItsNames(answer) };
	};
	const implementation: INodeType = {
		description: new CallVerification().description,
		async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
			const read = this.getNodeParameter.bind(this) as (...what: unknown[]) => unknown;
			const context = Object.create(this, {
				getNodeParameter: {
					value: (...what: unknown[]) => {
						reads++;
						const cost = isExpression(this, String(what[0])) ? EXPRESSION_MS : 0;
						clock.spend(cost);
						stretch += cost;
						longestRead = Math.max(longestRead, stretch);
						return read(...what);
					},
				},
				helpers: { value: { ...this.helpers, httpRequestWithAuthentication: request } },
				logger: {
					value: Object.create(this.logger, {
						info: { value: (line: string) => progress.push(line) },
					}) as IExecuteFunctions['logger'],
				},
			}) as IExecuteFunctions;
			return [await clock.runUntil(runItems(context, resources, clock, seededRandom(1)))];
		},
	};
	const result = await runNode({ ...run, implementation });
	return {
		...result,
		seconds: (clock.now() - beganAt) / 1_000,
		sent,
		progress,
		reads,
		longestRead,
	};
}

function isExpression(context: IExecuteFunctions, parameter: string): boolean {
	const value = context.getNode().parameters[parameter];
	return typeof value === 'string' && value.startsWith('=');
}

const LATENCY_MS = 80;

/** Answers after a typical latency. */
export const replying =
	(reply: (request: SentRequest) => Reply): Service =>
	async (request, clock) => {
		await clock.sleep(LATENCY_MS);
		return reply(request);
	};

/** A connection that fails at once. */
export const broken =
	(code: string): Service =>
	async () => {
		throw Object.assign(new Error(code), { code });
	};

/** Never answers. */
export const hanging: Service = async (_request, _clock, giveUp) =>
	await new Promise<never>((_resolve, reject) => {
		giveUp.addEventListener('abort', () => reject(new Error('canceled')));
	});

export const checked = (request: SentRequest, values: IDataObject = {}): Reply => ({
	body: { source: request.phone, phone: 79160000000, cost: 0.5, ...values },
});

export const refusal = (code: number, error = 'No', headers = {}): Reply => ({
	headers,
	body: { status: false, error, code },
});

export function numbers(count: number): Array<{ phone: string }> {
	return Array.from({ length: count }, (_none, index) => ({ phone: String(79160000000 + index) }));
}
