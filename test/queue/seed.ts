import { type Random, seededRandom } from '../../emulator/seededRandom';

/**
 * Decides the order of events and which processes are hit. To repeat a failed run, pass the seed it printed:
 * QUEUE_SEED=1 npm run test:queue
 */
const SEED = Number(process.env.QUEUE_SEED);

if (!Number.isInteger(SEED) || SEED < 0) {
	throw new Error(`QUEUE_SEED must be a whole number, not “${process.env.QUEUE_SEED ?? ''}”`);
}

/** Each case has its own random numbers, so that it behaves the same alone and in the full suite. */
export function randomOf(caseNumber: number): Random {
	return seededRandom(SEED + caseNumber);
}

/** Straight to the terminal: jest would print the code location under every line. */
export function report(title: string, figures: Record<string, unknown>): void {
	const list = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
	process.stdout.write(`${title} (QUEUE_SEED=${SEED}): ${list.join(', ')}\n`);
}
