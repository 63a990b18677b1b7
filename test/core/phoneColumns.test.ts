import { fileIn } from '../../harness/engine/n8nCore';
import { BOM, utf16, windows1251, withLettersOfWindows1251 } from '../encodings';
import { COLUMNS, list, phoneAt, resultFor, run, SOON } from './fileRun';
import { ACCOUNTING, addedCells, messyRows, messyText, numbersOf, rowsIn } from './messyList';

const russian = { defaultCountryCode: '7' };
const namesFor = (column: string, delimiter = ',') =>
	COLUMNS.split(',')
		.map((name) => `${name} (${column})`)
		.join(delimiter);
const inColumns = (phoneColumn: string) => ({ fields: { phoneColumn } });

describe('a list with two phone columns', () => {
	const text = [
		'Name,Phone,Work phone',
		`Ann,${phoneAt(1)},${phoneAt(2)}`,
		`Bob,${phoneAt(2)},`,
		'Eve,+79160000009,7 916 000-00-10',
		'',
	].join('\n');
	const EMPTY = ',,,,,,empty,';

	it.each([
		['found by their names', ''],
		['chosen', 'Work phone, Phone'],
		['chosen by an expression', '={{ ["Phone", "Work phone"] }}'],
	])('gets results for each, which are %s', async (_how, phoneColumn) => {
		const result = await run(text, {}, { ...inColumns(phoneColumn), request: { concurrency: 1 } });
		expect(result.phones).toEqual([phoneAt(1), phoneAt(2), '+79160000009']);
		const [header, ...rows] = result.text.trimEnd().split('\n');
		expect(header).toBe(`Name,Phone,Work phone,${namesFor('Phone')},${namesFor('Work phone')}`);
		const resultsOf = (row: string) => row.split(',').slice(3);
		const valid = rows.map((row) => [resultsOf(row)[0], resultsOf(row)[8]]);
		expect(valid).toEqual([
			['TRUE', 'TRUE'],
			['TRUE', ''],
			['FALSE', 'TRUE'],
		]);
		expect(rows[1]?.endsWith(EMPTY)).toBe(true);
		expect(result.json).toMatchObject({
			rows: 3,
			cells: 6,
			valid_rows: 3,
			valid: 4,
			invalid: 1,
			unreadable: 1,
			duplicates: 2,
			cost: 1.5,
			phone_column: 'Phone, Work phone',
		});
	});

	it('says so in its hints, and which columns it has found', async () => {
		const { hints } = await run(text);
		expect(hints).toEqual([
			'data-checked.csv: 2 phone columns were found and checked: Phone, Work phone. To check fewer, enter their names in “Phone Column”.',
			'3 rows, 6 phone cells, 4 valid, 1 invalid, 1 unreadable, 2 duplicates, total cost 1.5',
		]);
		const chosen = await run(text, { maxChecks: 1 }, inColumns('Phone, Work phone'));
		expect(chosen.hints).toEqual([
			'data-checked.csv is not complete: 3 cells have no result, and “reason” says why. Check the output file again to continue; what has a valid result is not paid for again.',
			'3 rows, 6 phone cells, 2 valid, 1 unreadable, 3 not checked, 2 duplicates, total cost 0.5',
		]);
	});

	it('reports the columns', async () => {
		const { success } = await run(text, { report: true });
		const page = fileIn(success[0], 'report').toString();
		expect(page).toContain('3 of 3 rows have a valid number');
		expect(page).toContain('Valid cells by column');
	});

	it('keeps every result when another column is checked, and pays for new numbers only', async () => {
		const first = await run(text, {}, inColumns('Phone'));
		expect(first.text.split('\n')[0]).toBe(`Name,Phone,Work phone,${COLUMNS}`);
		const second = await run(first.text, {}, inColumns('Work phone'));
		// Both of its numbers are known from the other column.
		expect(second.sent).toEqual([]);
		expect(second.json).toMatchObject({ valid: 2, unreadable: 1, reused: 2, complete: true });
		const lines = (file: string) => file.trimEnd().split('\n');
		const [before, after] = [lines(first.text), lines(second.text)];
		expect(after[0]).toBe(`${before[0]},${namesFor('Work phone')}`);
		expect(after.every((line, row) => line.startsWith(`${before[row]},`))).toBe(true);
		expect(after[1]).toContain(`,${resultFor(phoneAt(2), SOON)}`);
		for (const phoneColumn of ['', 'Phone', 'Work phone', 'Phone, Work phone']) {
			const again = await run(second.text, {}, inColumns(phoneColumn));
			expect([again.sent, again.text]).toEqual([[], second.text]);
		}
	});

	it('continues in parts until it is complete, and pays for no number twice', async () => {
		let current = text;
		const paid: string[] = [];
		const open: unknown[] = [];
		for (let pass = 0; pass < 3; pass++) {
			const result = await run(current, { maxChecks: 1 });
			current = result.text;
			paid.push(...result.phones);
			open.push(result.json.not_checked);
		}
		expect(open).toEqual([3, 1, 0]);
		expect([paid.length, new Set(paid).size]).toEqual([3, 3]);
	});

	it('uses an earlier result of any column', async () => {
		const last_month = (await run(text)).text;
		const files = [{ data: list(4), last_month }];
		const { phones } = await run(files, { earlierResults: 'last_month' });
		expect(phones).toEqual([0, 3].map(phoneAt));
	});
});

describe('columns of the same name', () => {
	const text = `Имя;Телефон;Телефон\nАня;${phoneAt(1)};${phoneAt(2)}\n`;

	it('are both found', async () => {
		const { json, text: output } = await run(text);
		expect(json).toMatchObject({ valid: 2, phone_column: 'Телефон (1), Телефон (2)' });
		const names = [1, 2].map((number) => namesFor(`Телефон (${number})`, ';'));
		expect(output.split('\n')[0]).toBe(`Имя;Телефон;Телефон;${names.join(';')}`);
		expect((await run(output)).text).toBe(output);
	});

	it('are told apart by their number, and the error says how', async () => {
		expect((await run(text, {}, inColumns('Телефон (2)'))).phones).toEqual([phoneAt(2)]);
		const { error } = await run(text, {}, inColumns('Телефон'));
		expect(error?.message).toBe('The file has 2 columns called “Телефон”');
		expect(error?.description).toContain('“Телефон (1)”, “Телефон (2)”');
	});
});

describe('a file with sep=', () => {
	it.each([';', '|', ','])(
		'and %j comes back with that delimiter and without that line',
		async (sep) => {
			const text = `sep=${sep}\r\nName${sep}Phone\r\nAnn${sep}${phoneAt(1)}\r\n`;
			const { text: output, json } = await run(text);
			expect(output).toBe(
				[
					['Name', 'Phone', COLUMNS].join(),
					['Ann', phoneAt(1), resultFor(phoneAt(1), SOON)].join(),
					'',
				]
					.join('\r\n')
					.replaceAll(',', sep),
			);
			expect(json.delimiter).toBe(sep);
			const again = await run(output);
			expect([again.sent, again.text, again.json.delimiter]).toEqual([[], output, sep]);
		},
	);
});

describe('a messy export: titles, two columns of one name, ten ways to write a number', () => {
	const rows = rowsIn(withLettersOfWindows1251, messyRows(150, { seed: 1 }));
	const text = messyText(rows, ACCOUNTING);
	const cells = rows.flatMap(({ phones }) => phones);

	/** Throws unless all rows begin as they did, followed by this number of cells. */
	const expectUnchanged = (output: string, added: number) =>
		expect(addedCells(output, rows, ACCOUNTING, added)).toHaveLength(1 + rows.length);

	it.each([
		['windows-1251', windows1251(text)],
		['UTF-16LE', utf16(text)],
		['UTF-16BE', utf16(text).swap16()],
		['UTF-8', Buffer.from(BOM + text)],
		['UTF-8', Buffer.from(`sep=;\r\n${text}`)],
	])('in %s loses no cell and pays for no number twice', async (encoding, data) => {
		const result = await run([{ data }], russian);
		expectUnchanged(result.text, 16);
		expect(result.json).toMatchObject({
			rows: 150,
			cells: 300,
			valid: cells.filter((cell) => 'number' in cell && !cell.number.e164.endsWith('9')).length,
			unreadable: cells.filter((cell) => 'reason' in cell).length,
			complete: true,
			encoding,
			phone_column: 'Телефон (1), Телефон (2)',
		});
		expect(result.phones.map((phone) => `+${phone.replace(/\D/g, '')}`).sort()).toEqual(
			[...numbersOf(cells).keys()].sort(),
		);

		const again = await run(result.text, russian);
		expect([again.sent, again.json.cost]).toEqual([[], 0]);
		expect(again.text).toBe(result.text);
	});

	it('can be checked column by column', async () => {
		const first = await run(text, russian, inColumns('Телефон (2)'));
		expectUnchanged(first.text, 8);
		const known = numbersOf(rows.map(({ phones }) => phones[1]));
		expect(first.sent).toHaveLength(known.size);
		const second = await run(first.text, russian);
		expectUnchanged(second.text, 16);
		expect(second.sent).toHaveLength(numbersOf(cells).size - known.size);
	});
});
