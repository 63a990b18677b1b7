import {
	type BenchService,
	type EmulatorProcess,
	type EmulatorTraffic,
	UNLIMITED,
} from '../services';
import { median } from '../statistics';
import {
	AUTOMATIC,
	bareHelper,
	type Contender,
	type Contest,
	ourNode,
	ourNodeClosely,
	undiciPool,
} from './contenders';
import type { Cpu, List, Lists, Speed, Standing } from './results';

const FIXED = [8, 16, 24, 32, 48, 64] as const;
const MOST_AT_ONCE = 64;

type Round = Contest & { traffic: EmulatorTraffic };

/** All contenders in turn, round by round, so that anything else the machine does affects all of them alike. */
export async function measureSpeed(
	process: EmulatorProcess,
	service: BenchService,
): Promise<Speed> {
	const { behaviour, limits, count, countOneByOne, rounds } = service;
	const contenders = {
		automatic: ourNode(AUTOMATIC),
		...Object.fromEntries(FIXED.map((width) => [fixedName(width), ourNode(width)])),
		bareHelper: bareHelper(MOST_AT_ONCE),
		floor: undiciPool(limits),
	};
	const run = async (contender: Contender, numbers: number): Promise<Round> =>
		await process.during(behaviour, async (access) => await contender(access, numbers));

	const played = new Map<string, Round[]>();
	for (let round = 0; round < rounds; round++) {
		for (const [name, contender] of Object.entries(contenders)) {
			played.set(name, [...(played.get(name) ?? []), await run(contender, count)]);
		}
	}
	const standing = (key: string, name: string): Standing => ({
		name,
		numbers: count,
		...summary(played.get(key) ?? []),
	});
	const oneByOne = summary([await run(ourNode(1), countOneByOne)]);
	const [first, ...others] = FIXED.map((width) => standing(fixedName(width), `${width} at once`));
	if (first === undefined) throw new Error('There is no fixed number to compare with');
	return {
		service: service.name,
		title: service.title,
		rounds,
		automatic: standing('automatic', 'automatic'),
		oneByOne: {
			name: 'one by one',
			numbers: count,
			...oneByOne,
			seconds: (oneByOne.seconds * count) / countOneByOne,
			measuredOn: countOneByOne,
		},
		fixed: [first, ...others],
		bareHelper: standing('bareHelper', 'bare request helper, 64 at once'),
		floor: standing('floor', 'undici that knows the limits'),
	};
}

function fixedName(width: number): string {
	return `fixed ${width}`;
}

function summary(rounds: Round[]): Pick<Standing, 'seconds' | 'lost' | 'refused' | 'peakInFlight'> {
	return {
		seconds: Math.min(...rounds.map(({ wallMs }) => wallMs)) / 1000,
		lost: Math.max(...rounds.map(({ lost }) => lost)),
		refused: Math.max(
			...rounds.map(({ traffic: { requests, answered } }) => 1 - answered / requests),
		),
		peakInFlight: Math.max(...rounds.map(({ traffic }) => traffic.peakInFlight)),
	};
}

const CPU_ROUNDS = 9;

const CPU_CONTENDERS = {
	ours: ourNode(MOST_AT_ONCE),
	bare: bareHelper(MOST_AT_ONCE),
	automatic: ourNode(AUTOMATIC),
};

type Name = keyof typeof CPU_CONTENDERS;

/** CPU time per number, on a service that is no bottleneck. Ratios are per round, because the machine may be busy. */
export async function measureCpu(process: EmulatorProcess): Promise<Cpu> {
	const rounds: Array<Record<Name, number>> = [];
	for (let round = 0; round < CPU_ROUNDS; round++) {
		const names = Object.keys(CPU_CONTENDERS) as Name[];
		const costs = { ours: 0, bare: 0, automatic: 0 };
		for (const name of round % 2 === 0 ? names : names.reverse()) {
			costs[name] = await cpuPerNumber(process, CPU_CONTENDERS[name]);
		}
		rounds.push(costs);
	}
	return {
		rounds: CPU_ROUNDS,
		bareHelper: median(rounds.map(({ bare }) => bare)),
		sameConcurrency: median(rounds.map(({ ours, bare }) => ours / bare)),
		automatic: median(rounds.map(({ automatic, bare }) => automatic / bare)),
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
