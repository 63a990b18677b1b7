import { performance } from 'node:perf_hooks';

export interface Measured<T> {
	result: T;
	wallMs: number;
	/** Of this process alone: the service runs in another. */
	cpuMs: number;
}

export async function measured<T>(work: () => Promise<T>): Promise<Measured<T>> {
	const cpuBefore = process.cpuUsage();
	const startedAt = performance.now();
	const result = await work();
	const wallMs = performance.now() - startedAt;
	return { result, wallMs, cpuMs: sumMs(process.cpuUsage(cpuBefore)) };
}

export interface MeasuredClosely<T> extends Measured<T> {
	/** The longest time in which nothing else in n8n could have been answered. */
	longestBlockMs: number;
	/** How much more is kept in memory after the work, its result included. */
	heapBytes: number;
}

/** Not for comparisons: looking so closely costs something, and slows down whoever runs next. */
export async function measuredClosely<T>(work: () => Promise<T>): Promise<MeasuredClosely<T>> {
	const heapBefore = heapInUse();
	const blocks = new BlockWatch();
	const done = await measured(work);
	const longestBlockMs = blocks.end();
	return { ...done, longestBlockMs, heapBytes: heapInUse() - heapBefore };
}

/** Ticks, and notes the longest time in which a tick could not come because this process was computing. */
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
		// While another process has the processor, nobody here is blocking anything.
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
