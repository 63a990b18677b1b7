import type { Clock } from './clock';
import { onStop } from './onStop';

/** Sleeps, but wakes up when the run is stopped. The caller checks the signal to see why. */
export async function sleepUntilStopped(
	clock: Clock,
	milliseconds: number,
	stop: AbortSignal | undefined,
): Promise<void> {
	if (stop?.aborted) return;
	await new Promise<void>((resolve, reject) => {
		const forget = onStop(stop, resolve);
		clock.sleep(milliseconds).then(resolve, reject).finally(forget);
	});
}
