import type { Emulator } from '../../emulator/emulator';
import { completeSettings } from '../../emulator/played/services';
import { fileIn, runNode } from '../../harness/engine/n8nCore';
import { serviceAs, startService } from '../../harness/emulatedService';
import { BOM, utf16, windows1251, withLettersOfWindows1251 } from '../encodings';
import { builtNode } from './builtNode';
import { checkFile, COLUMNS, DAY, NO_MONEY } from './fileRun';
import {
	ACCOUNTING,
	addedCells,
	type Cell,
	CRM,
	type Layout,
	type MessyNumber,
	type MessyRow,
	messyRows,
	messyText,
	numbersOf,
	rowsIn,
} from './messyList';
import { ERROR_OUTPUT, startCall } from './parameters';
import { credentialFor } from './wire';

/** A team and its lists, as they come in the course of some months. `PROPERTY_SEED=7` makes other lists. */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const clients = messyRows(3_000, { seed: SEED, numbers: 2_400 });
const leads = messyRows(600, { seed: SEED + 1, from: 2_000, numbers: 800 });
const debtors = messyRows(300, { seed: SEED + 2, from: 2_700, numbers: 400 });
const newClients = messyRows(60, { seed: SEED + 3, from: 5_000 });
const moreClients = messyRows(60, { seed: SEED + 4, from: 5_040 });

const MONDAY = Date.parse('2030-01-07T09:00:00.000Z');
const timeAt = (day: number) => MONDAY + day * DAY;
/** The default of Reuse Results For. */
const REUSE_DAYS = 90;

const PRICES = { valid: 0.05, invalid: 0.02 };
const inCents = (amount: number) => Math.round(amount * 100);
const priceOf = ({ country }: MessyNumber) => (country === '' ? PRICES.invalid : PRICES.valid);
const costOf = (numbers: Iterable<MessyNumber>) =>
	[...numbers].reduce((sum, number) => sum + priceOf(number), 0);
/** The first and the second phone column. */
type Column = 0 | 1;
const cellsIn = (rows: readonly MessyRow[], columns: readonly Column[]) =>
	rows.flatMap(({ phones }) => columns.map((column) => phones[column]));

const ALL_LISTS = [clients, leads, debtors, newClients, moreClients];
const EVERY_NUMBER = numbersOf(ALL_LISTS.flatMap((rows) => cellsIn(rows, [0, 1])));

/** Enough until Thursday, and then for half of the leads. */
const ofClients = numbersOf(cellsIn(clients, [0, 1]));
const newLeads = [...numbersOf(cellsIn(leads, [0, 1]))].filter(
	([number]) => !ofClients.has(number),
);
const unpaidLeads = newLeads.slice(newLeads.length / 2).map(([, number]) => number);
const BALANCE = costOf(ofClients.values()) + costOf(newLeads.map(([, number]) => number));
const STARTING_BALANCE = inCents(BALANCE - costOf(unpaidLeads)) / 100;
const TOP_UP = 500;

interface List {
	/** Since Monday. */
	readonly day: number;
	readonly rows: readonly MessyRow[];
	readonly layout?: Layout;
	/** The file, if it is not simply the rows in UTF-8. */
	readonly data?: string | Buffer;
	/** The only one that is checked. Otherwise both are, and must be found. */
	readonly column?: Column;
	/** The file of known numbers. */
	readonly known?: string;
}

type Run = Awaited<ReturnType<typeof check>>;

let emulator: Emulator;
/** What each run says that it has cost. */
const costs: number[] = [];
/** When a number was checked for the last time, by what the service has charged. */
const checkedOn = new Map<string, number>();
/** What the service has said of a number on that day. */
const said = new Map<string, Result>();

beforeAll(async () => {
	const { prices, refusalCodes } = completeSettings({ as: serviceAs() });
	emulator = await startService({
		// The contract does not say how an empty account is refused. This is how the public service does it.
		refusalCodes: { ...refusalCodes, balance: NO_MONEY },
		prices: { ...prices, check: PRICES.valid, invalidCheck: PRICES.invalid },
		startingBalance: STARTING_BALANCE,
	});
});

afterAll(async () => await emulator.close());

const withPlus = (sent: unknown) => `+${String(sent).replace(/\D/g, '')}`;

async function check(list: List) {
	const { day, rows, layout = CRM, column, known } = list;
	const { data = messyText(rows, layout) } = list;
	const columns: readonly Column[] = column === undefined ? [0, 1] : [column];
	const cells = cellsIn(rows, columns);
	const numbers = numbersOf(cells);
	const isFresh = (number: string) => day - (checkedOn.get(number) ?? -Infinity) < REUSE_DAYS;
	const due = new Set([...numbers.keys()].filter((number) => !isFresh(number)));

	const { ledger } = emulator;
	const before = {
		requests: ledger.requests.length,
		checks: ledger.checks.length,
		balance: ledger.balance,
	};
	const { success, hints, error } = await runNode({
		parameters: checkFile(
			{
				defaultCountryCode: '7',
				knownNumbers: 'known',
				...(known !== undefined && { earlierResults: 'known' }),
			},
			{ phoneColumn: column === undefined ? '' : layout.phoneNames[column] },
		),
		files: [{ data, ...(known !== undefined && { known }) }],
		credential: credentialFor(emulator),
		implementation: builtNode(
			() => ({}),
			() => timeAt(day),
		),
	});
	if (error) throw error;
	const paid = ledger.checks.slice(before.checks).map(({ source }) => withPlus(source));
	for (const number of paid) checkedOn.set(number, day);

	const figures = success[0]?.json ?? {};
	costs.push(Number(figures.cost));
	return {
		rows,
		layout,
		columns,
		cells,
		numbers,
		due,
		/** All that was sent, and what was charged for it. */
		sent: ledger.requests.slice(before.requests).map(({ args }) => withPlus(args.phone)),
		paid,
		spent: before.balance - ledger.balance,
		balance: ledger.balance,
		checkedOn: new Map(checkedOn),
		figures,
		hints,
		// Without the byte order mark.
		text: fileIn(success[0]).toString().slice(1),
		known: fileIn(success[0], 'known').toString(),
	};
}

/** Each day goes on with the files of the day before, even if only its own test is run. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return async () => await (made ??= make());
}

const NAMES = COLUMNS.split(',');
type Result = Readonly<Record<string, string>>;
const NOTHING: Result = Object.fromEntries(NAMES.map((name) => [name, '']));

/** What must stand beside a cell. Of what only the service knows, what it has said when it was asked. */
function expectedFor(cell: Cell, found: Result, checkedOn: ReadonlyMap<string, number>): Result {
	if ('reason' in cell) return { ...NOTHING, reason: cell.reason };
	const { e164, country } = cell.number;
	const day = checkedOn.get(e164);
	if (day === undefined) {
		const [reason = 'not_checked: and why'] = /^not_checked: .+/.exec(found.reason ?? '') ?? [];
		return { ...NOTHING, reason };
	}
	const checked_at = new Date(timeAt(day)).toISOString();
	const of = `${e164} ${checked_at}`;
	const { mobile = '', operator = '', region = '', reason = '' } = said.get(of) ?? found;
	said.set(of, { mobile, operator, region, reason });
	const result = { ...NOTHING, phone_e164: e164, country, checked_at };
	return country === ''
		? { ...result, valid: 'FALSE', reason: reason || 'what the service says' }
		: { ...result, valid: 'TRUE', mobile, operator, region };
}

/** What the output has results of, with the ends of their names. */
type ResultSets = ReadonlyArray<readonly [column: Column, ending: string]>;

function resultsOf({ columns, layout }: Run): ResultSets {
	return columns.map((column) => [
		column,
		columns.length === 1 ? '' : ` (${layout.phoneLabels[column]})`,
	]);
}

/** Every cell of the list is as it was, and beside each phone cell is what belongs there. */
function expectCells(run: Run, results = resultsOf(run)): void {
	const { text, rows, layout, checkedOn } = run;
	const [header = [], ...added] = addedCells(text, rows, layout, NAMES.length * results.length);
	expect(header).toEqual(results.flatMap(([, ending]) => NAMES.map((name) => name + ending)));
	const problems: string[] = [];
	for (const [row, { phones }] of rows.entries()) {
		for (const [set, [column]] of results.entries()) {
			const own = added[row]?.slice(set * NAMES.length, (set + 1) * NAMES.length) ?? [];
			const found = Object.fromEntries(NAMES.map((name, index) => [name, own[index] ?? '']));
			const expected = expectedFor(phones[column], found, checkedOn);
			for (const name of NAMES.filter((other) => found[other] !== expected[other])) {
				const is = `${name} is “${found[name]}” instead of “${expected[name]}”`;
				problems.push(`beside “${phones[column].text}” in row ${row + 1}, ${is}`);
			}
		}
	}
	expect(problems.slice(0, 10)).toEqual([]);
}

/** The item has the right counts, they add up, and the cost is what the service has taken. */
function expectFigures(run: Run): void {
	const { rows, layout, columns, cells, due, spent, figures, checkedOn } = run;
	const numbers = cells.flatMap((cell) => ('number' in cell ? [cell.number] : []));
	const checked = numbers.filter(({ e164 }) => checkedOn.has(e164));
	const isValid = (cell: Cell) =>
		'number' in cell && cell.number.country !== '' && checkedOn.has(cell.number.e164);
	const ofDue = numbers.filter(({ e164 }) => due.has(e164)).length;
	const left = numbers.length - checked.length;
	expect(figures).toMatchObject({
		rows: rows.length,
		cells: cells.length,
		valid_rows: rows.filter(({ phones }) => columns.some((column) => isValid(phones[column])))
			.length,
		valid: cells.filter(isValid).length,
		invalid: checked.filter(({ country }) => country === '').length,
		unreadable: cells.length - numbers.length,
		not_checked: left,
		failed: 0,
		outdated: 0,
		duplicates: ofDue - due.size,
		reused: numbers.length - ofDue,
		paid: run.paid.length,
		cost: inCents(spent) / 100,
		complete: left === 0,
		phone_column: columns.map((column) => layout.phoneLabels[column]).join(', '),
	});
	const { valid, invalid, unreadable, failed, not_checked } = figures;
	const sum = [valid, invalid, unreadable, failed, not_checked].map(Number).reduce((a, b) => a + b);
	expect(sum).toBe(figures.cells);
}

/** No stranger's number was sent, and none was paid for that was known, or twice. */
function expectPayments({ sent, paid, due, numbers }: Run): void {
	const problems = {
		'sent, but in no cell of the list': sent.filter((number) => !numbers.has(number)),
		'paid for twice': paid.filter((number, index) => paid.indexOf(number) < index),
		'paid for, although its result was known': paid.filter(
			(number) => numbers.has(number) && !due.has(number),
		),
	};
	expect(
		Object.entries(problems).flatMap(([what, all]) =>
			all.slice(0, 5).map((number) => `${number} was ${what}`),
		),
	).toEqual([]);
}

const unpaidOf = ({ due, paid }: Run) => [...due].filter((number) => !paid.includes(number));

/** One row for each number that was ever checked, with its last result, and what this run has paid for it. */
function expectKnown({ known, paid, checkedOn }: Run): void {
	const isPaid = new Set(paid);
	const rows = known.trimEnd().split('\n').slice(1);
	const found = rows.map((line) => {
		const cells = line.split(',');
		const [, valid = '', number = ''] = cells;
		const [checked_at = '', price = ''] = cells.slice(-2);
		return [number, valid, checked_at, isPaid.has(number) ? price : ''].join();
	});
	const expected = [...checkedOn].map(([e164, day]) => {
		const number = EVERY_NUMBER.get(e164);
		const valid = number?.country === '' ? 'FALSE' : 'TRUE';
		const price = number !== undefined && isPaid.has(e164) ? priceOf(number) : '';
		return [e164, valid, new Date(timeAt(day)).toISOString(), price].join();
	});
	const [isFound, isExpected] = [new Set(found), new Set(expected)];
	expect(found.filter((row) => !isExpected.has(row)).slice(0, 5)).toEqual([]);
	expect(expected.filter((row) => !isFound.has(row)).slice(0, 5)).toEqual([]);
	expect(found).toHaveLength(expected.length);
}

function expectRight(run: Run, results?: ResultSets): void {
	expectPayments(run);
	const unpaid = unpaidOf(run).slice(0, 5);
	expect(unpaid.map((number) => `${number} was not checked`)).toEqual([]);
	expectCells(run, results);
	expectFigures(run);
	expectKnown(run);
}

/** As hints write it. */
const shown = ({ figures }: Run, name: string) => Number(figures[name]).toLocaleString('en-US');

const monday = once(
	async () =>
		await check({ day: 0, rows: clients, column: 0, data: BOM + messyText(clients, CRM) }),
);
const tuesday = once(async () => {
	const { text: data } = await monday();
	return await check({ day: 1, rows: clients, column: 1, data });
});
const thursday = once(async () => {
	const { known } = await tuesday();
	return await check({ day: 3, rows: leads, known });
});
const thursdayEvening = once(async () => {
	const { text: data, known } = await thursday();
	emulator.topUp(TOP_UP);
	return await check({ day: 3, rows: leads, data, known });
});
const friday = once(async () => {
	const { known } = await thursdayEvening();
	const rows = rowsIn(withLettersOfWindows1251, debtors);
	const data = windows1251(`sep=;\r\n${messyText(rows, ACCOUNTING)}`);
	return await check({ day: 4, rows, layout: ACCOUNTING, data, known });
});
const secondMonth = once(async () => {
	const { known } = await friday();
	return await check({ day: 30, rows: [...clients.slice(0, 500), ...newClients], known });
});
const thirdMonth = once(async () => {
	const { known } = await secondMonth();
	return await check({ day: 60, rows: [...clients, ...moreClients], known });
});
const fourthMonth = once(async () => {
	const { known } = await thirdMonth();
	const rows = [...clients.slice(0, 150), ...newClients];
	return await check({ day: 4 + REUSE_DAYS, rows, known });
});

it('Monday: of 3,000 messy rows no cell changes, and each number is paid for once', async () => {
	const run = await monday();
	expectRight(run);
	const names = ['valid', 'invalid', 'unreadable', 'duplicates'];
	const counts = names.map((name) => `${shown(run, name)} ${name}`).join(', ');
	expect(run.hints).toEqual([`3,000 rows, ${counts}, total cost ${shown(run, 'cost')}`]);
});

it('Tuesday: another phone column of the output is added, and pays for new numbers only', async () => {
	const run = await tuesday();
	expectRight(run, [
		[0, ''],
		[1, ' (Рабочий телефон)'],
	]);
	// With its other results, too.
	const before = (await monday()).text.split('\r\n');
	const after = run.text.split('\r\n');
	expect(after.filter((line, index) => !line.startsWith(before[index] ?? ''))).toEqual([]);
});

describe('Wednesday: a colleague sends the same list, which costs nothing', () => {
	const backwards = [...clients].reverse();
	const cyrillic = rowsIn(withLettersOfWindows1251, backwards);

	it.each<
		[encoding: string, how: string, delimiter: string, rows: MessyRow[], (text: string) => Buffer]
	>([
		['UTF-8', 'with commas', ',', backwards, (text) => Buffer.from(text)],
		['UTF-8', 'with a byte order mark', '\t', backwards, (text) => Buffer.from(BOM + text)],
		['UTF-8', 'with sep=', ';', backwards, (text) => Buffer.from(`sep=;\r\n${text}`)],
		['windows-1251', 'with semicolons', ';', cyrillic, windows1251],
		['UTF-16LE', 'with tabs', '\t', backwards, utf16],
	])('in %s, %s', async (encoding, _how, delimiter, rows, encode) => {
		const { known } = await tuesday();
		const layout = { ...CRM, delimiter };
		const data = encode(messyText(rows, layout));
		const run = await check({ day: 2, rows, layout, data, known });
		expectRight(run);
		expect(run.figures).toMatchObject({ cost: 0, encoding, delimiter });
		expect(run.sent).toEqual([]);
		expect(run.known).toBe(known);
	});
});

describe('Thursday', () => {
	it('the account runs empty, and the list says which rows are left', async () => {
		const run = await thursday();
		expectPayments(run);
		expectCells(run);
		expectFigures(run);
		expectKnown(run);
		expect(unpaidOf(run).length).toBeGreaterThan(100);
		expect(inCents(run.balance)).toBeLessThan(inCents(PRICES.valid));
		expect(run.hints.join()).toContain(`${shown(run, 'not_checked')} cells have no result`);
	});

	it('goes on after a top-up, and pays only for what is left', async () => {
		const run = await thursdayEvening();
		expectRight(run);
		const { paid } = await thursday();
		expect(paid.filter((number) => run.paid.includes(number))).toEqual([]);
		expect(run.paid.length).toBeGreaterThan(100);
	});
});

it('Friday: an export with titles and two columns of the same name is checked like any other', async () => {
	const run = await friday();
	expectRight(run);
	expect(run.figures.encoding).toBe('windows-1251');
	expect(run.due.size).toBeGreaterThan(0);
});

it('Saturday: whoever is called is the one whose number is in the cell', async () => {
	const service = await startService({ startingBalance: 1e6 });
	const cells = cellsIn(leads, [0]);
	const { success, failed } = await runNode({
		parameters: startCall({
			phone: '={{ $json.phone }}',
			options: { defaultCountryCode: '7', client: '={{ $itemIndex }}' },
		}),
		items: cells.map(({ text: phone }) => ({ phone })),
		credential: credentialFor(service),
		...ERROR_OUTPUT,
	});
	await service.close();
	expect(success.length + failed.length).toBe(cells.length);
	const { calls } = service.ledger;
	expect(calls).toHaveLength(success.length);
	const strangers = calls.flatMap(({ client, phone }) => {
		const cell = cells[Number(client)];
		const number = cell !== undefined && 'number' in cell ? cell.number.e164 : 'nobody';
		return withPlus(phone) === number ? [] : [`“${cell?.text}” calls +${phone}, not ${number}`];
	});
	expect(strangers).toEqual([]);
	expect(success.length).toBeGreaterThan(100);
});

describe('the months after', () => {
	it('a shorter list pays for its new numbers only', async () => {
		const run = await secondMonth();
		expectRight(run);
		expect(run.due.size).toBeGreaterThan(0);
	});

	it('the long list again pays for its new numbers only', async () => {
		const run = await thirdMonth();
		expectRight(run);
		expect(run.due.size).toBeGreaterThan(0);
	});

	it('after 90 days, numbers are checked again, and invalid ones, too', async () => {
		const run = await fourthMonth();
		expectRight(run);
		const again = [...run.due].map((number) => run.numbers.get(number)?.country);
		expect(again).toEqual(expect.arrayContaining(['Russia', 'Kazakhstan', 'Belarus', '']));
		// Those of the second month are still known.
		expect(run.due.size).toBeLessThan(run.numbers.size);
	});

	it('the costs of all runs add up to what the service has taken', async () => {
		await fourthMonth();
		const { ledger } = emulator;
		const total = costs.reduce((sum, cost) => sum + cost, 0);
		const charged = ledger.checks.reduce((sum, { cost }) => sum + cost, 0);
		expect(inCents(total)).toBe(inCents(charged));
		expect(inCents(total)).toBe(inCents(STARTING_BALANCE + TOP_UP - ledger.balance));
		expect(ledger.requests.filter(({ method }) => method !== 'checkPhone')).toEqual([]);
	});
});
