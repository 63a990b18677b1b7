import { readFileSync, writeFileSync } from 'node:fs';

import { processesInGroup } from '../../harness';

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

export function memoryOf(status: string, figure: 'VmRSS' | 'VmHWM'): number {
	const kilobytes = new RegExp(`^${figure}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
	if (kilobytes === undefined) throw new Error(`No ${figure} in:\n${status}`);
	return Number(kilobytes) * 1024;
}

/** Its own and its waited-for children's, in user and kernel mode. The name before may contain spaces and brackets. */
export function ticksOf(stat: string): number {
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
