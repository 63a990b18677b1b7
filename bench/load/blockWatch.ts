import type { LiveHeap } from '../endurance/liveHeap';

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

export interface BlockWatch {
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
