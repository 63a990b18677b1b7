import { refuse } from './serviceError';

const UNITS_PER_ROUBLE = 10_000;

/** The account's rouble wallet, in whole units, so that many small charges cause no rounding errors. */
export class Wallet {
	private units: number;

	constructor(startingBalance: number) {
		this.units = Math.round(startingBalance * UNITS_PER_ROUBLE);
	}

	get balance(): number {
		return this.units / UNITS_PER_ROUBLE;
	}

	add(amount: number): void {
		this.units += Math.round(amount * UNITS_PER_ROUBLE);
	}

	/** Charges the amount and returns the balance before. */
	charge(amount: number): number {
		const before = this.balance;
		const cost = Math.round(amount * UNITS_PER_ROUBLE);
		if (cost > this.units) refuse('balance', `Not enough money: ${amount} needed, ${before} left`);
		this.units -= cost;
		return before;
	}
}
