import { AUTOMATIC, bareHelper, type Contender, ourNode } from './contenders';
import { median } from './percentile';
import type { Cpu } from './results';
import type { EmulatorProcess } from './emulatorProcess';
import { UNLIMITED } from './services';

const ROUNDS = 9;
const MOST_AT_ONCE = 64;

const CONTENDERS = {
	ours: ourNode(MOST_AT_ONCE),
	bare: bareHelper(MOST_AT_ONCE),
	automatic: ourNode(AUTOMATIC),
	barePausing: bareHelper(MOST_AT_ONCE, { pauses: true }),
};

type Name = keyof typeof CONTENDERS;

/** CPU time per number, on a service that is no bottleneck. Ratios are per round, because the machine may be busy. */
export async function measureCpu(process: EmulatorProcess): Promise<Cpu> {
	const rounds: Array<Record<Name, number>> = [];
	for (let round = 0; round < ROUNDS; round++) {
		const names = Object.keys(CONTENDERS) as Name[];
		const costs = { ours: 0, bare: 0, automatic: 0, barePausing: 0 };
		for (const name of round % 2 === 0 ? names : names.reverse()) {
			costs[name] = await cpuPerNumber(process, CONTENDERS[name]);
		}
		rounds.push(costs);
	}
	return {
		rounds: ROUNDS,
		bareHelper: median(rounds.map(({ bare }) => bare)),
		sameConcurrency: median(rounds.map(({ ours, bare }) => ours / bare)),
		automatic: median(rounds.map(({ automatic, bare }) => automatic / bare)),
		sameConcurrencyPausing: median(rounds.map(({ ours, barePausing }) => ours / barePausing)),
	};
}

async function cpuPerNumber(process: EmulatorProcess, contender: Contender): Promise<number> {
	const { behaviour, count } = UNLIMITED;
	const { cpuMs } = await process.during(
		behaviour,
		async (access) => await contender(access, count),
	);
	return cpuMs / count;
}
