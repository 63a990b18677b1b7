import { crc32, deflateRawSync } from 'node:zlib';

/** A cell of a sheet: a date is stored as a number with a format, as every spreadsheet does. */
export type SheetCell = string | number | boolean | Date;

const DAY = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

/** A spreadsheet file with one sheet, in Excel's format. */
export function spreadsheet(rows: ReadonlyArray<readonly SheetCell[]>): Buffer {
	const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
	const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
	const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
	const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
	const sheetRows = rows.map((row) => `<row>${row.map(cellOf).join('')}</row>`).join('');
	return zipOf({
		'[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
		'_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Contacts" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
		'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
		'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${sheetRows}</sheetData></worksheet>`,
	});
}

function cellOf(value: SheetCell): string {
	if (value instanceof Date) return `<c s="1"><v>${(value.getTime() - EPOCH) / DAY}</v></c>`;
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
