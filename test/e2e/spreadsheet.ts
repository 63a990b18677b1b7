import { createRequire } from 'node:module';
import { crc32, deflateRawSync } from 'node:zlib';
import { n8nProgram, type PinnedLine } from '../../harness';

interface Formula {
	readonly formula: string;
	readonly result: number;
}

interface FailedFormula {
	readonly error: string;
}

/** A cell of a sheet: a date is stored as a number with a format, as every spreadsheet does. */
export type SheetCell = string | number | boolean | Date | Formula | FailedFormula;

const DAY = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

/** A spreadsheet file with one sheet, in Excel's format. */
export function spreadsheet(rows: ReadonlyArray<readonly SheetCell[]>): Buffer {
	const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
	const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
	const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
	const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
	const sheetRows = rows.map(rowOf).join('');
	return zipOf({
		'[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
		'_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Contacts" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
		'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
		'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${sheetRows}</sheetData></worksheet>`,
	});
}

/** The values of a cell as every program reads it: without formats, formulas or errors. */
export function valueOf(cell: SheetCell): string | number | boolean | undefined {
	if (cell instanceof Date) return (cell.getTime() - EPOCH) / DAY;
	if (typeof cell === 'object') return 'error' in cell ? undefined : cell.result;
	return cell === '' ? undefined : cell;
}

type Sheet = Readonly<Record<string, unknown>>;
interface Workbook {
	readonly SheetNames: string[];
	readonly Sheets: Record<string, Sheet>;
}

/** What is used of the library with which n8n itself reads and writes spreadsheets. */
interface SheetLibrary {
	readonly read: (bytes: Buffer) => Workbook;
	readonly write: (book: Workbook, options: { type: 'buffer'; bookType: string }) => Buffer;
	readonly utils: {
		sheet_to_json(sheet: Sheet | undefined, options: { header: 1 }): unknown[][];
		aoa_to_sheet(rows: unknown[][]): Sheet;
		book_append_sheet(book: Workbook, sheet: Sheet, name: string): void;
	};
}

async function sheetLibrary(line: PinnedLine): Promise<SheetLibrary> {
	const { script } = await n8nProgram(line, { report: () => undefined });
	const nodes = createRequire(script).resolve('n8n-nodes-base/package.json');
	const name = line === '1.x' ? 'xlsx' : '@e965/xlsx';
	return createRequire(nodes)(name) as SheetLibrary;
}

/** Each sheet of a file in any format, by name: the values of its rows, with nothing where a cell is empty. */
export async function sheetsOf(bytes: Buffer, line: PinnedLine): Promise<Map<string, unknown[][]>> {
	const { read, utils } = await sheetLibrary(line);
	const { SheetNames, Sheets } = read(bytes);
	return new Map(
		SheetNames.map((name) => [name, utils.sheet_to_json(Sheets[name], { header: 1 })]),
	);
}

/** The same file in another format, with a second sheet. */
export async function savedAs(bookType: string, bytes: Buffer, line: PinnedLine): Promise<Buffer> {
	const { read, write, utils } = await sheetLibrary(line);
	const book = read(bytes);
	utils.book_append_sheet(book, utils.aoa_to_sheet([['Another sheet']]), 'Another');
	return write(book, { type: 'buffer', bookType });
}

/** A row without cells is not in the file: the number of the next one shows that it exists. */
function rowOf(cells: readonly SheetCell[], index: number): string {
	return cells.length === 0 ? '' : `<row r="${index + 1}">${cells.map(cellOf).join('')}</row>`;
}

function cellOf(value: SheetCell): string {
	if (value instanceof Date) return `<c s="1"><v>${valueOf(value)}</v></c>`;
	if (typeof value === 'object' && 'error' in value) return `<c t="e"><v>${value.error}</v></c>`;
	if (typeof value === 'object') return `<c><f>${value.formula}</f><v>${value.result}</v></c>`;
	if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
	if (typeof value === 'number') return `<c><v>${value}</v></c>`;
	const text = value.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`);
	return value === ''
		? '<c/>'
		: `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

function zipOf(files: Readonly<Record<string, string>>): Buffer {
	const parts: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const [name, text] of Object.entries(files)) {
		const content = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
		const packed = deflateRawSync(content);
		const about = Buffer.alloc(26);
		about.writeUInt16LE(20, 0);
		about.writeUInt16LE(8, 4);
		about.writeUInt32LE(crc32(content), 10);
		about.writeUInt32LE(packed.length, 14);
		about.writeUInt32LE(content.length, 18);
		about.writeUInt16LE(name.length, 22);
		const part = Buffer.concat([Buffer.from('PK\x03\x04'), about, Buffer.from(name), packed]);
		const place = Buffer.alloc(14);
		place.writeUInt32LE(offset, 10);
		directory.push(
			Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), about, place, Buffer.from(name)]),
		);
		parts.push(part);
		offset += part.length;
	}
	const entries = Buffer.concat(directory);
	const end = Buffer.alloc(18);
	end.writeUInt16LE(directory.length, 4);
	end.writeUInt16LE(directory.length, 6);
	end.writeUInt32LE(entries.length, 8);
	end.writeUInt32LE(offset, 12);
	return Buffer.concat([...parts, entries, Buffer.from('PK\x05\x06'), end]);
}
