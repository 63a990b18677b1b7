import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Whether something is still in memory after a garbage collection. */
export async function isKept(something: WeakRef<object>): Promise<boolean> {
	// A WeakRef keeps its target until the end of the task that has read it.
	await setImmediate();
	collectGarbage();
	return something.deref() !== undefined;
}
