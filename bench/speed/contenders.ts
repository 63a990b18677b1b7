import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { Pool } from 'undici';

import { CallVerification } from '../../harness/engine/builtPackage';
import { credential, runNode } from '../../harness/engine/n8nCore';
import type { EmulatorAccess, KnownLimits } from '../services';

/** Checks `count` different numbers and returns the figures. */
export type Contender = (service: EmulatorAccess, count: number) => Promise<Contest>;

export interface Contest {
	wallMs: number;
	cpuMs: number;
	/** Numbers without a result. */
	lost: number;
}

export const AUTOMATIC = 0;

/** With a margin for the difference between the two clocks. */
const SECOND_MS = 1005;
const PAUSE_AFTER_REFUSAL_MS = 20;

/** The node as published. */
export function ourNode(concurrency: number): Contender {
	return async (service, count) =>
		await inN8n(new CallVerification(), concurrency, service, count, measured);
}

export async function ourNodeClosely(
	service: EmulatorAccess,
	count: number,
): Promise<MeasuredClosely<unknown> & Contest> {
	return await inN8n(new CallVerification(), AUTOMATIC, service, count, measuredClosely);
}

export function bareHelper(concurrency: number): Contender {
	return async (service, count) => {
		const node = bareHelperNode(service.url, concurrency);
		return await inN8n(node, concurrency, service, count, measured);
	};
}

/** No n8n, reused connections, and the service's limits known in advance: nothing can be much faster. */
export function undiciPool({ connections, perSecond = Infinity }: KnownLimits): Contender {
	return async ({ url, secretKey, serviceId }, count) => {
		const pool = new Pool(url, { connections });
		const startTurn = slidingSecond(perSecond);
		const ask = async (phone: string) =>
			await pool.request({
				method: 'POST',
				path: '/v1.0/checkPhone',
				headers: {
					authorization: `Bearer ${secretKey}.${serviceId}`,
					'content-type': 'application/json',
				},
				body: JSON.stringify({ phone }),
			});
		const check = async (phone: string) => {
			await startTurn();
			let answer = await ask(phone);
			// The service counts arrivals, and requests do not always take the same time to get there.
			while (answer.statusCode === 429) {
				await answer.body.dump();
				await delay(PAUSE_AFTER_REFUSAL_MS);
				answer = await ask(phone);
			}
			return await answer.body.json();
		};
		const { wallMs, cpuMs, result } = await measured(
			async () => await Promise.all(phones(count).map(check)),
		);
		await pool.close();
		return { wallMs, cpuMs, lost: count - result.length };
	};
}

/** Lets as many requests start in any second as the service takes. */
function slidingSecond(perSecond: number): () => Promise<void> {
	const starts: number[] = [];
	return async () => {
		const now = Date.now();
		const start = Math.max(now, (starts.at(-perSecond) ?? -Infinity) + SECOND_MS);
		starts.push(start);
		if (start > now) await delay(start - now);
	};
}

/** Runs a node in the real engine. Measures only its own `execute`, because the rest is the same for all. */
async function inN8n<Found extends Measured<unknown>>(
	node: INodeType,
	concurrency: number,
	{ url, secretKey, serviceId }: EmulatorAccess,
	count: number,
	measure: <T>(work: () => Promise<T>) => Promise<Found & { result: T }>,
): Promise<Found & { lost: number }> {
	const found: Found[] = [];
	const { success, error } = await runNode({
		parameters: {
			resource: 'phoneNumber',
			operation: 'check',
			phone: '={{ $json.phone }}',
			requestOptions: { concurrency },
		},
		items: phones(count).map((phone) => ({ phone })),
		credential: credential({ baseUrl: url, secretKey, serviceId }),
		onError: 'continueRegularOutput',
		implementation: {
			description: node.description,
			async execute(this: IExecuteFunctions) {
				const run = await measure(async () => await node.execute?.call(this));
				found.push(run);
				return run.result ?? [];
			},
		},
	});
	const [first] = found;
	if (first === undefined) throw error ?? new Error('The node was not run');
	const checked = success.filter(({ json }) => json.valid === true).length;
	return { ...first, lost: count - checked };
}

function phones(count: number): string[] {
	return Array.from({ length: count }, (_, index) => `+7${9_000_000_000 + index}`);
}

interface Answer {
	statusCode: number;
	body: IDataObject;
}

/**
 * The least a node can do for the same work: n8n's request helper with the same options, several requests at once, and
 * one expression read per item. It checks no response, retries nothing and cannot be stopped.
 */
function bareHelperNode(baseUrl: string, concurrency: number): INodeType {
	return {
		description: new CallVerification().description,
		async execute(this: IExecuteFunctions) {
			const items = this.getInputData();
			const results = new Array<INodeExecutionData>(items.length);
			let next = 0;
			const lane = async (): Promise<void> => {
				for (;;) {
					if (next >= items.length) return;
					const item = next++;
					const phone = this.getNodeParameter('phone', item) as string;
					const { statusCode, body } = (await this.helpers.httpRequestWithAuthentication.call(
						this,
						'callVerificationApi',
						{
							method: 'POST',
							url: `${baseUrl}/v1.0/checkPhone`,
							body: { phone },
							timeout: 30_000,
							json: true,
							arrayFormat: 'repeat',
							returnFullResponse: true,
							ignoreHttpStatusErrors: true,
							disableFollowRedirect: true,
						},
					)) as Answer;
					results[item] = { json: { ...body, valid: statusCode === 200 }, pairedItem: { item } };
				}
			};
			await Promise.all(Array.from({ length: concurrency }, lane));
			return [results];
		},
	};
}

interface Measured<T> {
	result: T;
	wallMs: number;
	/** Of this process only: the service runs in another. */
	cpuMs: number;
}

async function measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
	const cpuBefore = process.cpuUsage();
	const startedAt = performance.now();
	const result = await work();
	const wallMs = performance.now() - startedAt;
	return { result, wallMs, cpuMs: sumMs(process.cpuUsage(cpuBefore)) };
}

interface MeasuredClosely<T> extends Measured<T> {
	/** The longest time in which n8n could not have responded to anything else. */
	longestBlockMs: number;
	/** How much memory is still in use after the work, including its result. */
	heapBytes: number;
}

/** Not for comparisons: measuring this closely takes time, and slows down whatever runs next. */
async function measuredClosely<T>(work: () => Promise<T>): Promise<MeasuredClosely<T>> {
	const heapBefore = heapInUse();
	const blocks = new BlockWatch();
	const done = await measured(work);
	const longestBlockMs = blocks.end();
	return { ...done, longestBlockMs, heapBytes: heapInUse() - heapBefore };
}

/** Ticks, and records the longest time in which no tick could run because this process was computing. */
class BlockWatch {
	private static readonly TICK_MS = 5;

	private longestMs = 0;

	private lastTick = performance.now();

	private lastCpu = process.cpuUsage();

	private readonly ticking = setInterval(() => this.tick(), BlockWatch.TICK_MS);

	end(): number {
		clearInterval(this.ticking);
		this.tick();
		return this.longestMs;
	}

	private tick(): void {
		const now = performance.now();
		const lateMs = now - this.lastTick - BlockWatch.TICK_MS;
		// While another process has the CPU, this one does not block anything.
		const computedMs = sumMs(process.cpuUsage(this.lastCpu));
		this.longestMs = Math.max(this.longestMs, Math.min(lateMs, computedMs));
		this.lastTick = now;
		this.lastCpu = process.cpuUsage();
	}
}

function heapInUse(): number {
	if (globalThis.gc === undefined) throw new Error('Run with --expose-gc');
	globalThis.gc();
	return process.memoryUsage().heapUsed;
}

function sumMs({ user, system }: NodeJS.CpuUsage): number {
	return (user + system) / 1000;
}
