import { setTimeout as pause } from 'node:timers/promises';

import type { LiveHeap } from './liveHeap';
import type { HeapSample } from './results';

/** Samples the heap at a steady pace until the work is done, always at the same point of a round. */
export async function sampleDuring(
	heap: LiveHeap,
	everySeconds: number,
	work: Promise<unknown>,
	onSample: (sample: HeapSample) => void,
): Promise<{ samples: HeapSample[]; limitBytes: number }> {
	const started = Date.now();
	const samples: HeapSample[] = [];
	let limitBytes = 0;
	let isOver = false;
	const over = work.finally(() => {
		isOver = true;
	});
	for (let turn = 1; ; turn++) {
		// Shortly before the next list, when the last one is done.
		const next = started + (turn * everySeconds - 1) * 1000;
		await Promise.race([over, pause(Math.max(0, next - Date.now()))]);
		if (isOver) break;
		const { used, limit } = await heap.use();
		limitBytes = limit;
		const sample = { hours: (Date.now() - started) / 3_600_000, bytes: used };
		samples.push(sample);
		onSample(sample);
	}
	await over;
	return { samples, limitBytes };
}
