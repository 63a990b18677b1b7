import { performance } from 'node:perf_hooks';

export interface Measured<T> {
	result: T;
	wallMs: number;
	/** Of this process only: the service runs in another. */
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
	/** The longest time in which n8n could not have responded to anything else. */
	longestBlockMs: number;
	/** How much memory is still in use after the work, including its result. */
	heapBytes: number;
}

/** Not for comparisons: measuring this closely takes time, and slows down whatever runs next. */
export async function measuredClosely<T>(work: () => Promise<T>): Promise<MeasuredClosely<T>> {
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
