/** What one cell holds, and the number that it means. */
interface Cell {
	readonly text: string;
	readonly number?: string;
}

interface MessyRow {
	/** As it stands in the file, with semicolons and without a line break. */
	readonly raw: string;
	readonly phones: readonly [Cell, Cell];
}

/** What an accounting program writes above its table. The second line is as wide as the table. */
export const TITLES = [
	'Отчёт по клиентам, за октябрь',
	'Период:;01.10.2026 - 31.10.2026;;;;',
	'',
	';;;;;',
	'',
].join('\r\n');

/** Two columns have the same name. */
export const HEADER = '№;Имя;Телефон;Телефон;Почта;Комментарий';

const NOTES = [
	'',
	'перезвонить',
	'"через неделю; утром"',
	'"сказал ""да"""',
	'"две\r\nстроки"',
	'12,5',
];
const WRITINGS: ReadonlyArray<(digits: string) => string> = [
	(digits) => `+7${digits}`,
	(digits) =>
		`8 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6, 8)}-${digits.slice(8)}`,
	(digits) => `7${digits}`,
	(digits) => `'+7 ${digits.slice(0, 3)} ${digits.slice(3)}`,
	(digits) => `8${digits} (мама)`,
];
const UNREADABLE = ['', '', '', 'нет', '8 (347) 123-45-6', '"+79160000001; +79160000002"'];

/** Every number comes again later, in another writing and often in the other column. */
export function messyRows(count: number): MessyRow[] {
	const cellAt = (index: number): Cell => {
		if (index % 7 === 3) return { text: UNREADABLE[(index * 5) % UNREADABLE.length] ?? '' };
		const digits = `916${String(1_000_000 + ((index * 7_919) % (2 * count)))}`;
		const write = WRITINGS[(index * 3) % WRITINGS.length];
		return { text: write?.(digits) ?? digits, number: `+7${digits}` };
	};
	return Array.from({ length: count }, (_, row) => {
		const phones = [cellAt(row), cellAt(Math.floor(row / 2) + count)] as const;
		const [note, name] = [NOTES[row % NOTES.length], row % 11 === 0 ? '"Ли, Ян"' : `Ольга ${row}`];
		const cells = [row + 1, name, ...phones.map(({ text }) => text), `o${row}@example.com`, note];
		return { raw: cells.join(';'), phones };
	});
}

export const messyText = (rows: readonly MessyRow[]) =>
	`${TITLES}\r\n${[HEADER, ...rows.map(({ raw }) => raw)].join('\r\n')}\r\n`;

export const numbersOf = (cells: readonly Cell[]) =>
	new Set(cells.flatMap(({ number }) => number ?? []));
