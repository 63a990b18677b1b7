import type { Clock } from './clock';
import { onStop } from './onStop';

/** Sleeps, but wakes at once when the run is stopped. The caller looks at the signal to see which it was. */
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
