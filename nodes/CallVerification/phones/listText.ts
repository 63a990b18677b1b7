import { InputError } from '../api/errors';
import type { Breather } from '../runtime/breather';

export interface ListText {
	/** UTF-8 without byte order mark. Bytes, because a text of this length would fill n8n's heap. */
	readonly bytes: Buffer;
	readonly encoding: string;
	/** Nothing in the file says so, it only looks like it. */
	readonly isEncodingGuessed: boolean;
}

const PIECE = 64 * 1024;
/** Half of a pair, which is no character by itself. It marks the bytes that a code page leaves undefined. */
const UNDEFINED = '\uD800';
const LONE_SURROGATE = /\p{Cs}/u;
const CODE_PAGES = {
	'windows-1251': codePage(
		`ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—${UNDEFINED}™љ›њќћџ\u00A0ЎўЈ¤Ґ¦§Ё©Є«¬\u00AD®Ї°±Ііґµ¶·ё№є»јЅѕї`,
		0x0410,
	),
	'windows-1252': codePage(
		`€${UNDEFINED}‚ƒ„…†‡ˆ‰Š‹Œ${UNDEFINED}Ž${UNDEFINED}${UNDEFINED}‘’“”•–—˜™š›œ${UNDEFINED}žŸ`,
		0x00a0,
	),
};

const SAVE_AS_CSV = 'Open it where it comes from and save it as “CSV UTF-8”.';
const OTHER_FORMATS: ReadonlyArray<readonly [start: RegExp, name: string]> = [
	[/^PK[\x03\x05\x07]/, 'a spreadsheet (XLSX, ODS) or another ZIP archive'],
	[/^\xD0\xCF\x11\xE0/, 'an old Excel spreadsheet (XLS)'],
	[/^%PDF/, 'a PDF'],
	[/^\x1F\x8B/, 'a compressed file (GZIP)'],
	[/^(?:\xEF\xBB\xBF)?\s*<[!?a-z]/i, 'a web page or XML'],
	[/^(?:\xEF\xBB\xBF)?\s*(?:\[\s*[[{"]|\{\s*["}])/, 'JSON'],
	[/^\{\\rtf/, 'a text document (RTF)'],
];

/** Nothing is replaced: a byte that cannot be read is an error with its line. */
export async function readListText(file: Uint8Array, breather: Breather): Promise<ListText> {
	const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
	refuseOtherFormats(bytes);
	const text = await decode(bytes, breather);
	const nul = text.bytes.indexOf(0);
	if (nul === -1) return text;
	throw new InputError(
		`Line ${lineAt(text.bytes, nul)} of the file contains a NUL character: it is no CSV file, or UTF-16 without a byte order mark`,
		SAVE_AS_CSV,
	);
}

/** The number of the line, as an editor shows it, that this byte stands on. */
export function lineAt(bytes: Buffer, position: number): number {
	let line = 1;
	for (let at = 0; at < position; at += 1) {
		if (bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)) line += 1;
	}
	return line;
}

function refuseOtherFormats(bytes: Buffer): void {
	const start = bytes.toString('latin1', 0, 1_000);
	const format = OTHER_FORMATS.find(([pattern]) => pattern.test(start));
	if (format === undefined) return;
	throw new InputError(
		`The file is ${format[1]}, not CSV`,
		`${SAVE_AS_CSV} Or read it with n8n’s Extract from File node and check its rows with Phone Number: Check.`,
	);
}

async function decode(bytes: Buffer, breather: Breather): Promise<ListText> {
	const [first, second] = bytes;
	if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
		const isLittleEndian = first === 0xff;
		const unitAt = (unit: number) => {
			const at = 2 + 2 * unit;
			if (at + 1 === bytes.length) return 0xd800;
			return isLittleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
		};
		const encoding = isLittleEndian ? 'UTF-16LE' : 'UTF-16BE';
		const units = Math.ceil((bytes.length - 2) / 2);
		const text = await toUtf8(encoding, units, unitAt, breather);
		return { bytes: text, encoding, isEncodingGuessed: false };
	}

	const hasMark = first === 0xef && second === 0xbb && bytes[2] === 0xbf;
	const body = hasMark ? bytes.subarray(3) : bytes;
	const { sequences, strays, firstStray } = await scanUtf8(body, breather);
	if (strays === 0) return { bytes: body, encoding: 'UTF-8', isEncodingGuessed: false };
	// In a code page, hardly any letters happen to form a sequence of UTF-8.
	if (hasMark || strays < 3 * sequences) throw unreadable('UTF-8', lineAt(body, firstStray));
	const encoding = guessCodePage(body);
	const units = CODE_PAGES[encoding];
	const unitAt = (at: number) => units.charCodeAt(body[at] ?? 0);
	const text = await toUtf8(encoding, body.length, unitAt, breather);
	return { bytes: text, encoding, isEncodingGuessed: true };
}

function unreadable(encoding: string, line: number): InputError {
	return new InputError(
		`Line ${line} of the file contains a character that is not valid ${encoding}`,
		`Correct that line, or open the file where it comes from and save it as “CSV UTF-8”.`,
	);
}

async function toUtf8(
	encoding: string,
	units: number,
	unitAt: (unit: number) => number,
	breather: Breather,
): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let end = 0;
	for (let start = 0; start < units; start = end) {
		end = Math.min(start + PIECE, units);
		const isPairCut = end < units && (unitAt(end - 1) & 0xfc00) === 0xd800;
		if (isPairCut) end -= 1;
		const piece = Buffer.allocUnsafe(2 * (end - start));
		for (let unit = start; unit < end; unit += 1) {
			piece.writeUInt16LE(unitAt(unit), 2 * (unit - start));
		}
		const text = piece.toString('utf16le');
		const stray = text.search(LONE_SURROGATE);
		pieces.push(Buffer.from(stray === -1 ? text : text.slice(0, stray)));
		if (stray !== -1) {
			const before = Buffer.concat(pieces);
			throw unreadable(encoding, lineAt(before, before.length));
		}
		if (breather.isDue) await breather.breathe();
	}
	return Buffer.concat(pieces);
}

interface Utf8Scan {
	/** Characters of several bytes. */
	sequences: number;
	/** Bytes that belong to no character. */
	strays: number;
	firstStray: number;
}

async function scanUtf8(bytes: Buffer, breather: Breather): Promise<Utf8Scan> {
	const scan: Utf8Scan = { sequences: 0, strays: 0, firstStray: -1 };
	for (let at = 0, end = PIECE; at < bytes.length; end += PIECE) {
		while (at < Math.min(end, bytes.length)) {
			if ((bytes[at] ?? 0) < 0x80) {
				at += 1;
				continue;
			}
			const size = sizeOfSequence(bytes, at);
			if (size > 0) scan.sequences += 1;
			else if (scan.strays++ === 0) scan.firstStray = at;
			at += Math.max(size, 1);
		}
		if (breather.isDue) await breather.breathe();
	}
	return scan;
}

/** 0 if it is no valid sequence of UTF-8. */
function sizeOfSequence(bytes: Buffer, at: number): number {
	const lead = bytes[at] ?? 0;
	if (lead < 0xc2 || lead > 0xf4) return 0;
	const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	const second = bytes[at + 1] ?? 0;
	const isOutOfRange =
		(lead === 0xe0 && second < 0xa0) ||
		(lead === 0xed && second > 0x9f) ||
		(lead === 0xf0 && second < 0x90) ||
		(lead === 0xf4 && second > 0x8f);
	if (isOutOfRange) return 0;
	for (let next = at + 1; next < at + size; next += 1) {
		if ((bytes[next] ?? 0) >> 6 !== 0b10) return 0;
	}
	return size;
}

const SAMPLE = 256 * 1024;
/** Bytes that are letters in either code page, or the № of Russian lists. */
const WORD = /[a-z\xA1\xA2\xA5\xA8\xAA\xAF\xB2-\xB4\xB8-\xBA\xBF-\xFF]+/gi;

/** Cyrillic words have no ASCII letters; accented Latin letters stand between them. */
function guessCodePage(bytes: Buffer): keyof typeof CODE_PAGES {
	let balance = 0;
	for (let start = 0; start < bytes.length; start += SAMPLE) {
		const sample = bytes.toString('latin1', start, start + SAMPLE);
		for (const [word] of sample.matchAll(WORD)) {
			if (/^[a-z]+$/i.test(word)) continue;
			if (/[^a-z]{3}|^[^a-z]{2}$|^\xB9$/i.test(word)) balance += 1;
			else if (/[a-z]/i.test(word)) balance -= 1;
		}
		if (balance !== 0) break;
	}
	return balance > 0 ? 'windows-1251' : 'windows-1252';
}

/** All 256 characters: ASCII, then these, then the rest in the order of Unicode from this code on. */
function codePage(special: string, rest: number): string {
	const restSize = 128 - special.length;
	return [
		...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
		special,
		...Array.from({ length: restSize }, (_, index) => String.fromCharCode(rest + index)),
	].join('');
}
