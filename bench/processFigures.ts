import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { fetch, WebSocket } from 'undici';
import { z } from 'zod';

import { processesInGroup, waitUntil } from '../harness';

/** The kernel counts in hundredths of a second, whatever its own clock does. */
const TICKS_PER_SECOND = 100;
const RESET_PEAK = '5';

/** The peak starts again from here. */
export function resetPeakMemory(pid: number): void {
	writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
}

/** The most memory that the process itself has used, in bytes. */
export function peakMemory(pid: number): number {
	return memoryOf(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmHWM');
}

/** The memory that the process itself uses now, in bytes. */
export function memoryInUse(pid: number): number {
	return memoryOf(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
}

/** The CPU time of the processes in these groups so far, including children that have ended. */
export function cpuSeconds(groups: readonly number[]): number {
	const ticks = groups
		.flatMap(processesInGroup)
		.map((pid) => ticksOf(readFileSync(`/proc/${pid}/stat`, 'utf8')));
	return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

function memoryOf(status: string, figure: 'VmRSS' | 'VmHWM'): number {
	const kilobytes = new RegExp(`^${figure}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
	if (kilobytes === undefined) throw new Error(`No ${figure} in:\n${status}`);
	return Number(kilobytes) * 1024;
}

/** Its own and its waited-for children's, in user and kernel mode. The name before may contain spaces and brackets. */
function ticksOf(stat: string): number {
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

const START_LIMIT = 30_000;
/** The first collection leaves what finalizers have released. */
const COLLECTIONS = 2;
const BETWEEN_COLLECTIONS = 100;

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).nonempty();
const answer = z.object({ id: z.number(), result: z.record(z.unknown()).optional() });

interface Question {
	readonly resolve: (result: Record<string, unknown>) => void;
	readonly reject: (error: Error) => void;
}

interface HeapUse {
	/** Bytes in use by reachable objects. */
	readonly used: number;
	/** The most bytes that the process may use. */
	readonly limit: number;
}

/** The environment of a process whose heap is measured later: sets the port, but does not open it. */
export function heapSettings(port: number): Record<string, string> {
	return { NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` };
}

/** Inspects another Node process through its debugger protocol. */
export class LiveHeap {
	private lastId = 0;
	private readonly questions = new Map<number, Question>();

	private constructor(private readonly socket: WebSocket) {
		socket.addEventListener('message', ({ data }) => {
			const { id, result = {} } = answer.parse(JSON.parse(String(data)));
			this.questions.get(id)?.resolve(result);
			this.questions.delete(id);
		});
		socket.addEventListener('close', () => {
			for (const { reject } of this.questions.values()) reject(new Error('The process has ended'));
		});
	}

	/** Opens the port of this process only, because its children have the same environment. */
	static async of(pid: number, port: number): Promise<LiveHeap> {
		process.kill(pid, 'SIGUSR1');
		const url = await waitUntil(async () => await debuggerUrl(port), {
			what: `process ${pid} opens its debugger port`,
			limit: START_LIMIT,
		});
		const socket = new WebSocket(url);
		await once(socket, 'open');
		return new LiveHeap(socket);
	}

	/** After a garbage collection, so that unreachable objects do not count. */
	async use(): Promise<HeapUse> {
		for (let collection = 0; collection < COLLECTIONS; collection++) {
			await this.ask('HeapProfiler.collectGarbage');
			await pause(BETWEEN_COLLECTIONS);
		}
		const { usedSize } = await this.ask('Runtime.getHeapUsage');
		const limit = await this.evaluate(
			"process.getBuiltinModule('v8').getHeapStatistics().heap_size_limit",
		);
		return { used: z.number().parse(usedSize), limit };
	}

	/** Runs an expression that yields a number in the process. */
	async evaluate(expression: string): Promise<number> {
		const { result } = await this.ask('Runtime.evaluate', { expression });
		return z.object({ value: z.number() }).parse(result).value;
	}

	close(): void {
		this.socket.close();
	}

	private async ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
		const id = ++this.lastId;
		const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
			this.questions.set(id, { resolve, reject });
		});
		this.socket.send(JSON.stringify({ id, method, params }));
		return await answered;
	}
}

async function debuggerUrl(port: number): Promise<string | undefined> {
	try {
		const response = await fetch(`http://127.0.0.1:${port}/json/list`);
		return targets.parse(await response.json())[0].webSocketDebuggerUrl;
	} catch {
		return undefined; // Not open yet.
	}
}

const TICK_MS = 5;
const WORTH_KEEPING_MS = 20;

/**
 * Ticks in n8n's own process, and keeps the times in which no tick could run because its main thread was computing.
 * While other processes have the CPU, n8n does not block anything. Collections of garbage are kept apart: n8n's own heap
 * takes V8 more than 100 ms now and then, whatever runs.
 */
const START = `(() => {
	const computed = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
	const blocks = [], collections = [];
	let last = performance.now(), lastComputed = computed();
	setInterval(() => {
		const now = performance.now(), nowComputed = computed();
		const ms = Math.min(now - last - ${TICK_MS}, nowComputed - lastComputed);
		if (ms > ${WORTH_KEEPING_MS}) blocks.push({ start: last, end: now, ms });
		last = now; lastComputed = nowComputed;
	}, ${TICK_MS}).unref();
	const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
	new PerformanceObserver((list) => {
		for (const { startTime, duration } of list.getEntries()) collections.push({ startTime, duration });
	}).observe({ entryTypes: ['gc'] });
	const collecting = ({ start, end }) => collections
		.filter(({ startTime }) => startTime >= start && startTime < end)
		.reduce((sum, { duration }) => sum + duration, 0);
	globalThis.longestBlock = () => Math.max(0, ...blocks.map(({ ms }) => ms));
	globalThis.longestWork = () => Math.max(0, ...blocks.map((block) => block.ms - collecting(block)));
	return 0;
})()`;

interface BlockWatch {
	/** In milliseconds. */
	longest(): Promise<number>;
	/** The same without V8's collections of garbage. */
	longestWork(): Promise<number>;
}

export async function watchBlocks(n8n: LiveHeap): Promise<BlockWatch> {
	await n8n.evaluate(START);
	return {
		longest: async () => await n8n.evaluate('globalThis.longestBlock()'),
		longestWork: async () => await n8n.evaluate('globalThis.longestWork()'),
	};
}
