import { ourNodeClosely } from './contenders';
import type { List, Lists } from './results';
import type { EmulatorProcess } from './emulatorProcess';

const SHORT = 10_000;
const LONG = 100_000;

/** How the cost grows with the list, on a service that responds immediately. */
export async function measureLists(process: EmulatorProcess): Promise<Lists> {
	return { short: await measureList(process, SHORT), long: await measureList(process, LONG) };
}

async function measureList(process: EmulatorProcess, numbers: number): Promise<List> {
	const { cpuMs, longestBlockMs, heapBytes, lost } = await process.during(
		{},
		async (access) => await ourNodeClosely(access, numbers),
	);
	return {
		numbers,
		lost,
		cpuSeconds: cpuMs / 1000,
		longestBlockMs,
		heapBytesPerNumber: heapBytes / numbers,
	};
}
