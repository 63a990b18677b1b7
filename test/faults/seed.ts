/**
 * Decides which attempts fail, and how. To repeat a failed run, pass the seed it printed:
 * FAULT_SEED=1 npm run test:faults
 */
export const SEED = Number(process.env.FAULT_SEED);

if (!Number.isInteger(SEED) || SEED < 0) {
	throw new Error(`FAULT_SEED must be a whole number, not “${process.env.FAULT_SEED ?? ''}”`);
}
