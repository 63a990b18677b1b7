import type { TimeSlice } from '../pacing/time';
import type { ListNumber } from './listNumbers';
import { isUnreadable } from './phone';

export type ListSummary = Readonly<
	Record<'rows' | 'cells' | 'valid_rows' | 'valid' | 'invalid' | 'unreadable', number> &
		Record<'duplicates' | 'reused' | 'not_checked' | 'failed' | 'outdated', number> &
		Record<'paid' | 'cost', number> &
		Record<'phone_column' | 'delimiter' | 'encoding' | 'file_name', string> & { complete: boolean }
>;

const MOST_SHOWN = 10;
/** More than there are operators. Bounded, because every row of a file may have a text of its own. */
const MOST_NAMES = 5_000;
const LONGEST_TEXT = 120;
/** Spreadsheets save times of an earlier run in other ways, which do not sort like text. */
const ISO_DAY = /^\d{4}-\d\d-\d\d/;
type Counted = Pick<ListNumber, 'result' | 'cells'>;
/** How many cells of a phone column have a valid number. */
export type ColumnCount = Readonly<{ name: string; valid: number }>;
/** Its name is HTML. */
type Part = readonly [name: string, count: number, colour?: string];

class Tally extends Map<string, number> {
	total = 0;

	count(name: string, cells: number): void {
		this.total += cells;
		const before = this.get(name) ?? 0;
		if (before > 0 || this.size < MOST_NAMES) this.set(name, before + cells);
	}

	ranking(nameless: string): Part[] {
		const top = [...this].sort(([, one], [, other]) => other - one).slice(0, MOST_SHOWN);
		const rest = top.reduce((left, [, count]) => left - count, this.total);
		const parts = top.map(([name, count]): Part => [safe(name || nameless), count]);
		return rest > 0 ? [...parts, ['<em>Other</em>', rest]] : parts;
	}
}

/** A whole page, without scripts and with nothing to load. All text from outside goes through `safe`. */
export async function reportPage(
	numbers: readonly Counted[],
	columns: readonly ColumnCount[],
	summary: ListSummary,
	slice: TimeSlice,
) {
	const [operators, countries, mobile] = [new Tally(), new Tally(), new Tally()];
	const [whyInvalid, whyUnreadable, whyOpen] = [new Tally(), new Tally(), new Tally()];
	let [oldest, newest] = ['', ''];
	for (const { result, cells } of numbers) {
		if (slice.isOver) await slice.next();
		if (result === undefined) continue;
		const { valid, reason, checked_at: at } = result;
		if (valid === 'TRUE') {
			operators.count(result.operator, cells);
			countries.count(result.country, cells);
			mobile.count(result.mobile, cells);
		} else {
			const whyNoResult = isUnreadable(reason) ? whyUnreadable : whyOpen;
			(valid === 'FALSE' ? whyInvalid : whyNoResult).count(reason, cells);
		}
		if (!ISO_DAY.test(at)) continue;
		if (at > newest) newest = at;
		if (at < oldest || oldest === '') oldest = at;
	}
	const { rows, cells, valid_rows: validRows, valid, invalid, unreadable } = summary;
	const { failed, not_checked: notChecked, outdated, cost } = summary;
	// With one phone column, they are the same, and people think of rows.
	const [unit, units] = columns.length === 1 ? ['row', 'rows'] : ['cell', 'cells'];
	const [yes = 0, no = 0] = ['TRUE', 'FALSE'].map((is) => mobile.get(is));
	const days = new Set([oldest, newest].map((at) => at.slice(0, 10)));
	const results: Part[] = [
		['Valid', valid, 'good'],
		['Invalid', invalid, 'bad'],
		['Unreadable', unreadable, 'bar'],
		['Failed', failed, 'open'],
		['Not checked', notChecked, 'rest'],
	];
	const byColumn = columns.map((column): Part => [safe(column.name), column.valid]);
	const kinds: Part[] = [
		['Mobile', yes, 'bar'],
		['Not mobile', no, 'open'],
		['Unknown', mobile.total - yes - no, 'rest'],
	];
	const open = [
		failed + notChecked > 0 && `Without a result: ${number(failed + notChecked)}.`,
		outdated > 0 && `With an old result that could not be renewed: ${number(outdated)}.`,
	].filter(Boolean);
	const all = unreadable > 0 ? `Every ${unit} that could be read` : `Every ${unit}`;
	const ending = summary.complete
		? `${all} has a result.`
		: `<b class="open">${open.join(' ')}</b> To continue, check the output file: valid results in it are reused.`;
	return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Checked phone numbers</title>
<style>${STYLE}</style>
<h1>${number(validRows)} of ${number(rows)} ${rows === 1 ? 'row has' : 'rows have'} a valid number</h1>
<p>${safe(summary.file_name)}, ${columns.length === 1 ? 'column' : 'columns'} ${safe(summary.phone_column)}${newest && `, checked ${[...days].join(' to ')}`}</p>
<p>${ending}</p>
<section class="tiles">
${results.map(([name, count, colour]) => tile(name, number(count), percent(count, cells), colour)).join('')}
${tile('Mobile', percent(yes, mobile.total), 'of the valid')}
${tile('Cost', cost.toLocaleString('en', { minimumFractionDigits: 2 }), 'this run')}
</section>
<main>
<section><h2>${columns.length === 1 ? 'Rows' : 'Phone cells'}</h2>${table(results, cells)}<p>Not paid for: duplicates ${number(summary.duplicates)}, reused results ${number(summary.reused)}</p></section>
${columns.length === 1 ? '' : `<section><h2>Valid cells by column</h2>${table(byColumn.map(withBar), valid)}</section>`}
<section><h2>Valid ${units} by operator</h2>${table(operators.ranking('Unknown').map(withBar), valid)}</section>
<section><h2>Valid ${units} by country</h2>${table(countries.ranking('Unknown').map(withBar), valid)}</section>
<section><h2>Mobile numbers among the valid</h2>${table(kinds, mobile.total)}</section>
<section><h2>Why ${units} are invalid</h2>${table(whyInvalid.ranking('No reason given'), invalid)}</section>
<section><h2>Why ${units} are unreadable</h2>${table(whyUnreadable.ranking('No reason given'), unreadable)}</section>
<section><h2>Why ${units} have no result</h2>${table(whyOpen.ranking('No reason given'), failed + notChecked)}</section>
</main>
</html>
`;
}

const tile = (name: string, figure: string, note: string, colour = '') =>
	`<div>${name}<b class="${colour}">${figure}</b><small>${note}</small></div>`;

/** Parts that add up to the total. Those with a colour make one bar above the table. */
function table(parts: readonly Part[], total: number): string {
	if (total === 0) return '<p>None</p>';
	const shown = parts.filter(([, count]) => count > 0);
	const piece = ([, count, colour]: Part) =>
		colour && `<i class="${colour}" style="flex:${count}"></i>`;
	const line = ([name, count, colour]: Part) =>
		`<tr><th scope="row">${colour ? `<i class="${colour}"></i>` : ''}${name}</th><td>${number(count)} <small>${percent(count, total)}</small></td></tr>`;
	return `<div class="track">${shown.map(piece).join('')}</div><table>${[...shown, ['Total', total] as const].map(line).join('')}</table>`;
}

function withBar([name, count]: Part, _: number, parts: readonly Part[]): Part {
	const width = ((100 * count) / parts.reduce((sum, part) => sum + part[1], 0)).toFixed(1);
	return [`${name}<div class="track"><i class="bar" style="width:${width}%"></i></div>`, count];
}

const number = (value: number) => value.toLocaleString('en');

/** Never 0% for something, and never 100% for less than all. */
function percent(part: number, all: number): string {
	const rounded = Math.round((100 * part) / Math.max(1, all));
	if (rounded === 0 && part > 0) return '&lt;1%';
	return rounded === 100 && part < all ? '&gt;99%' : `${rounded}%`;
}

/** Isolated, because text that runs from right to left would move the figures beside it. */
function safe(text: string): string {
	const start = text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '');
	const shown = text.length > LONGEST_TEXT ? `${start}…` : text;
	return `<bdi>${shown.replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</bdi>`;
}

/** Dark on screens only, because paper is white. */
const STYLE = `
:root { --page: #f5f6f8; --card: #fff; --text: #1c2430; --soft: #5d6779; --line: #e4e7ec; --good: #12805c; --bad: #c4320a; --open: #8f5a00; --rest: #98a2b3; --bar: #4a6cf7; }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; --page: #101418; --card: #1a2027; --text: #e8ecf1; --soft: #98a2b3; --line: #2c343e; --good: #3ecf9a; --bad: #ff8a65; --open: #f0b84a; --rest: #667085; --bar: #7f9bff; } }
* { box-sizing: border-box; margin: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; max-width: 1040px; margin: auto; padding: 40px 20px; overflow-wrap: anywhere; }
h1 { font-size: 28px; line-height: 1.2; margin-bottom: 8px; letter-spacing: -.02em; }
h2 { font-size: 16px; margin-bottom: 12px; }
p, small { color: var(--soft); font-size: 14px; } small { display: inline-block; min-width: 44px; }
main { columns: 2 300px; column-gap: 16px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 20px; margin-bottom: 16px; break-inside: avoid; }
.tiles { display: grid; gap: 20px 12px; grid-template-columns: repeat(auto-fit, minmax(145px, 1fr)); color: var(--soft); margin-top: 24px; }
.tiles b { display: block; font-size: 26px; line-height: 1.3; letter-spacing: -.02em; } .tiles b:not(.good, .bad, .open) { color: var(--text); }
table { width: 100%; border-collapse: collapse; } table + p { margin-top: 10px; }
th, td { padding: 8px 0; border-top: 1px solid var(--line); text-align: left; font-weight: normal; vertical-align: top; } th { width: 100%; }
tr:first-child > * { border-top: 0; } tr:last-child > * { font-weight: 600; }
td { text-align: right; white-space: nowrap; padding-left: 20px; font-variant-numeric: tabular-nums; }
i { display: inline-block; height: 10px; background: currentColor; } th > i { width: 10px; border-radius: 3px; margin-right: 8px; }
.track { display: flex; gap: 2px; border-radius: 5px; overflow: hidden; } th .track { margin-top: 4px; background: var(--line); }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); } .rest { color: var(--rest); } .bar { color: var(--bar); }
@media print { :root { --page: #fff; } body { padding: 0; } .tiles { grid-template-columns: repeat(3, 1fr); } }
`;
