import { type Random, seededRandom } from '../emulator/seededRandom';

/** A run's seed. To repeat a failed run, pass the one that it printed: FAULT_SEED=1 npm run test:faults */
export class Seed {
	readonly value: number;

	constructor(private readonly variable: 'FAULT_SEED' | 'QUEUE_SEED') {
		const given = process.env[variable];
		this.value = Number(given);
		if (!Number.isInteger(this.value) || this.value < 0) {
			throw new Error(`${variable} must be a whole number, not “${given ?? ''}”`);
		}
	}

	/** Each case has its own random numbers, so that it behaves the same alone and in the full suite. */
	randomOf(caseNumber: number): Random {
		return seededRandom(this.value + caseNumber);
	}

	/** Straight to the terminal: jest would print the code location under every line. */
	report(title: string, figures: Record<string, unknown>): void {
		const list = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
		process.stdout.write(`${title} (${this.variable}=${this.value}): ${list.join(', ')}\n`);
	}
}
