import { money } from './money';

/** What a run has done so far, in the words of whoever looks at it. */
export class RunReport {
	done = 0;

	failed = 0;

	invalid = 0;

	duplicates = 0;

	retries = 0;

	/** What was paid in this run, as far as the service said. */
	cost = 0;

	constructor(readonly total: number) {}

	/** One line for the end of a run. */
	summary(): string {
		const parts = [
			`${count(this.done - this.failed)} of ${count(this.total)} items done`,
			this.failed > 0 ? `${count(this.failed)} failed` : '',
			this.invalid > 0 ? `${count(this.invalid)} invalid` : '',
			this.duplicates > 0 ? `${plural(this.duplicates, 'request')} saved by duplicates` : '',
			this.cost > 0 ? `total cost ${money(this.cost)}` : '',
			this.retries > 0 ? (this.retries === 1 ? '1 retry' : `${count(this.retries)} retries`) : '',
		];
		return parts.filter((part) => part !== '').join(', ');
	}

	/** One line for the time in between. */
	progress(elapsedMs: number): string {
		const perSecond = (this.done / Math.max(1, elapsedMs)) * 1_000;
		const secondsLeft = Math.ceil((this.total - this.done) / Math.max(perSecond, 1e-9));
		return `${count(this.done)} of ${count(this.total)} items done, ${perSecond.toFixed(1)} per second, about ${secondsLeft} s left`;
	}

	/** For the error that ends a run early: what is done need not be done, or paid, again. */
	doneBefore(): string {
		const succeeded = this.done - this.failed;
		if (succeeded === 0) return '';
		const paid = this.cost > 0 ? ` at a cost of ${money(this.cost)}` : '';
		return `${count(succeeded)} of ${count(this.total)} items were done before${paid}.`;
	}
}

function count(value: number): string {
	return value.toLocaleString('en-US');
}

function plural(value: number, word: string): string {
	return `${count(value)} ${word}${value === 1 ? '' : 's'}`;
}
