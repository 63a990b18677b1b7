import type { LiveHeap } from '../endurance/liveHeap';

const TICK_MS = 5;

/**
 * Ticks in n8n's own process, and keeps the longest time in which no tick could run because its main thread was
 * computing. While other processes have the CPU, n8n does not block anything.
 */
const START = `(() => {
	const computed = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
	let last = performance.now(), lastComputed = computed();
	globalThis.longestBlockMs = 0;
	setInterval(() => {
		const now = performance.now(), nowComputed = computed();
		globalThis.longestBlockMs = Math.max(globalThis.longestBlockMs, Math.min(now - last - ${TICK_MS}, nowComputed - lastComputed));
		last = now; lastComputed = nowComputed;
	}, ${TICK_MS}).unref();
	return 0;
})()`;

/** Starts the watch, or starts it over. */
export async function watchBlocks(n8n: LiveHeap): Promise<{ longestMs(): Promise<number> }> {
	await n8n.evaluate(START);
	return { longestMs: async () => await n8n.evaluate('globalThis.longestBlockMs') };
}
