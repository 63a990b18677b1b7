import { readFileSync } from 'node:fs';

import { cpuSeconds, memoryOf, peakMemory, ticksOf } from '../../../bench/load/processFigures';

test('the peak is read in bytes', () => {
	const status = 'VmPeak:\t  900 kB\nVmHWM:\t   12 kB\nVmRSS:\t   10 kB\n';
	expect(memoryOf(status, 'VmHWM')).toBe(12_288);
	expect(memoryOf(status, 'VmRSS')).toBe(10_240);
});

test('CPU time covers the process and its ended children, whatever the process is called', () => {
	const stat = '7 (a b) c) S 1 7 7 0 -1 0 0 0 0 0 100 20 3 4 20 0 11 0 555 999';
	expect(ticksOf(stat)).toBe(127);
});

test('this process has both', () => {
	const stat = readFileSync('/proc/self/stat', 'utf8');
	const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
	expect(peakMemory(process.pid)).toBeGreaterThan(10e6);
	expect(cpuSeconds([group])).toBeGreaterThan(0);
});
