import type { RowResult } from './rowResult';

export interface ListSummary {
	readonly rows: number;
	readonly valid: number;
	readonly invalid: number;
	readonly duplicates: number;
	readonly reused: number;
	readonly not_checked: number;
	readonly failed: number;
	readonly cost: number;
	readonly complete: boolean;
	readonly phone_column: string;
	readonly delimiter: string;
	readonly encoding: string;
	readonly file_name: string;
}

export class ListTally {
	add(_result: RowResult): void {}
}

export function reportPage(_tally: ListTally, summary: ListSummary): string {
	return `<!DOCTYPE html><title>${summary.file_name}</title>`;
}
