import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';

export const PIECE = 64 * 1024;
/** Half of a pair, which is no character by itself. It stands for bytes that cannot be read. */
const UNREADABLE = '\uD800';
type Read = (piece: Buffer) => string;
/** No TextDecoder, which reads 1252 as Latin-1 in Node.js 20, and not every Node.js has all code pages. */
const CODE_PAGES = {
	'windows-1251': codePage(
		`ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—${UNREADABLE}™љ›њќћџ\u00A0ЎўЈ¤Ґ¦§Ё©Є«¬\u00AD®Ї°±Ііґµ¶·ё№є»јЅѕї`,
		0x0410,
	),
	'windows-1252': codePage(
		`€${UNREADABLE}‚ƒ„…†‡ˆ‰Š‹Œ${UNREADABLE}Ž${UNREADABLE}${UNREADABLE}‘’“”•–—˜™š›œ${UNREADABLE}žŸ`,
		0x00a0,
	),
};
const SAVE_AS_CSV = 'Open the file where it comes from, and save it as “CSV UTF-8”.';
const MEND_IT = `Correct that line. ${SAVE_AS_CSV}`;
const OTHER_FORMATS: ReadonlyArray<readonly [start: RegExp, name: string]> = [
	[/^PK(?![\r\n])\p{Cc}{2}/u, 'a spreadsheet (XLSX, ODS) or another ZIP archive'],
	[/^\xD0\xCF\p{Cc}\xE0/u, 'an old Excel spreadsheet (XLS)'],
	[/^%PDF/, 'a PDF'],
	[/^\p{Cc}\x8B/u, 'a compressed file (GZIP)'],
	[/^\{\\rtf/, 'a text document (RTF)'],
	[/^\s*<(?:!|\?xml|html|head|body|meta|table|div)/i, 'a web page or XML'],
	[/^\s*(?:\[\s*[[{"]|\{\s*["}])/, 'JSON'],
];

/** As UTF-8 in bytes, because a string of this length would fill n8n's heap. What cannot be read is an error. */
export async function readListText(file: Uint8Array, slice: TimeSlice) {
	const all = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
	rejectOtherFormats(all);
	const [mark = ''] =
		/^(?:\xFF\xFE|\xFE\xFF|\xEF\xBB\xBF)/.exec(all.toString('latin1', 0, 3)) ?? [];
	const read = mark.length === 2 ? readUtf16 : readBytes;
	const text = await read(all.subarray(mark.length), mark, slice);
	rejectOtherFormats(text.bytes);
	return text;
}

export const lineError = (bytes: Buffer, position: number, problem: string, advice = MEND_IT) =>
	new InputError(`Line ${lineAt(bytes, position)} of the file has ${problem}`, advice);

/** The number of a line as editors show it, where CR alone is a line break, too. */
export function lineAt(bytes: Buffer, position: number): number {
	let line = 1;
	for (let at = 0; at < position; at += 1) {
		if (bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)) line += 1;
	}
	return line;
}

function rejectOtherFormats(bytes: Buffer): void {
	const start = bytes.toString('latin1', 0, 1_000);
	const [, format] = OTHER_FORMATS.find(([pattern]) => pattern.test(start)) ?? [];
	if (format === undefined) return;
	throw new InputError(
		`The file is ${format}, not CSV`,
		`${SAVE_AS_CSV} Or read it with n8n’s Extract from File node and check its rows with Phone Number: Check.`,
	);
}

async function readUtf16(file: Buffer, mark: string, slice: TimeSlice) {
	const isLittleEndian = mark === '\xFF\xFE';
	const encoding = isLittleEndian ? 'UTF-16LE' : 'UTF-16BE';
	const read = (piece: Buffer) => {
		const units = Buffer.from(piece.subarray(0, piece.length & ~1));
		const text = (isLittleEndian ? units : units.swap16()).toString('utf16le');
		return piece.length % 2 === 1 ? text + UNREADABLE : text;
	};
	const bytes = await toUtf8(file, read, slice, `is not valid ${encoding}`);
	rejectNul(bytes);
	return { bytes, encoding };
}

async function readBytes(bytes: Buffer, mark: string, slice: TimeSlice) {
	rejectNul(bytes);
	const { sequences, strays, firstStray } = await scanUtf8(bytes, slice);
	if (strays === 0) return { bytes, encoding: 'UTF-8' };
	// In a code page, letters seldom happen to form a sequence of UTF-8.
	const isMostlyUtf8 = mark !== '' || strays < 3 * sequences;
	if (isMostlyUtf8) throw lineError(bytes, firstStray, 'a character that is not valid UTF-8');
	// Excel’s “CSV (Macintosh)” has these line breaks, and code pages that look like those of Windows.
	const isFromMacintosh = bytes.includes(0x0d) && !bytes.includes(0x0a);
	const encoding = isFromMacintosh ? undefined : await guessCodePage(bytes, slice);
	if (!encoding) throw new InputError('The encoding of the file is unknown', SAVE_AS_CSV);
	const problem = `is valid neither in UTF-8 nor in ${encoding}`;
	return { bytes: await toUtf8(bytes, CODE_PAGES[encoding], slice, problem), encoding };
}

function rejectNul(bytes: Buffer): void {
	const problem =
		'a character that does not belong in text: the file is not CSV, or its encoding is not supported';
	if (bytes.includes(0)) throw lineError(bytes, bytes.indexOf(0), problem);
}

async function toUtf8(bytes: Buffer, read: Read, slice: TimeSlice, problem: string) {
	const pieces: Buffer[] = [];
	let half = '';
	for (let start = 0; start < bytes.length; start += PIECE) {
		const text = half + read(bytes.subarray(start, start + PIECE));
		// The next piece has the other half of a pair that is cut.
		half = start + PIECE < bytes.length ? (/[\uD800-\uDBFF]$/.exec(text)?.[0] ?? '') : '';
		const whole = text.slice(0, text.length - half.length);
		const [readable = ''] = whole.split(/\p{Cs}/u, 1);
		pieces.push(Buffer.from(readable));
		if (readable !== whole) {
			const before = Buffer.concat(pieces);
			throw lineError(before, before.length, `a character that ${problem}`);
		}
		if (slice.isOver) await slice.next();
	}
	return Buffer.concat(pieces);
}

/** Counts characters of several bytes, and bytes that belong to no character. */
async function scanUtf8(bytes: Buffer, slice: TimeSlice) {
	const scan = { sequences: 0, strays: 0, firstStray: -1 };
	for (let start = 0, end = 0; start < bytes.length; start = end) {
		if (slice.isOver) await slice.next();
		end = start + PIECE;
		// Not in the middle of a character.
		for (let back = 0; back < 3 && (bytes[end] ?? 0) >> 6 === 0b10; back += 1) end -= 1;
		const piece = bytes.subarray(start, end);
		const text = piece.toString();
		const readable = text.replaceAll('\uFFFD', '');
		// U+FFFD that stands in the file itself is valid.
		const own = piece.toString('latin1').split('\xEF\xBF\xBD').length - 1;
		const strays = piece.length - Buffer.byteLength(readable) - 3 * own;
		if (strays > 0 && scan.strays === 0) {
			scan.firstStray = start + Buffer.from(text).findIndex((byte, at) => byte !== piece[at]);
		}
		scan.strays += strays;
		// The fast way, for pieces without strays, counts characters of three or four bytes twice: rather UTF-8, then.
		if (strays === 0) scan.sequences += piece.length - text.length;
		else scan.sequences += own + (readable.match(/[^\0-\x7F]/gu)?.length ?? 0);
	}
	return scan;
}

const MOST_RUNS = 20_000;
const LETTER =
	'[\\x8A\\x8C\\x8E\\x9A\\x9C\\x9E\\x9F\\xA1\\xA2\\xA5\\xA8\\xAA\\xAF\\xB2-\\xB4\\xB8\\xBA\\xBF-\\xFF]';
/** Three letters in a row, two that are a word, or the № of Russian lists (\xB9). */
const CYRILLIC = new RegExp(`${LETTER}{3}|(?<![A-Za-z])${LETTER}{2}(?![A-Za-z])|\\xB9`);
const LATIN = new RegExp(`[A-Za-z]${LETTER}|${LETTER}[A-Za-z]`);
/** Words of symbols (DOS), words such as “иВАН” (KOI8), and symbols inside of words (DOS again). */
const NEITHER =
	/[\x80-\xBF]{3}|(?<![\xC0-\xFF])[\xE0-\xFF][\xC0-\xDF]{2}|[A-Za-z][\x80-\x89\x8B\x8D\x8F\x90\x93-\x95\x97-\x99\x9B\x9D][A-Za-z]/;
/** Polish in windows-1250: ź, ł, ą and ż, where other code pages have Ÿ, ³, ¹ and ¿, or џ, і, № and ї. */
const POLISH = /[A-Za-z][\x9F\xB3\xB9\xBF][a-z]/;

/** By the runs of bytes that are not ASCII, each with the characters beside it. */
async function guessCodePage(bytes: Buffer, slice: TimeSlice) {
	let [runs, cyrillic, latin, neither, polish] = [0, 0, 0, 0, 0];
	for (let at = 0; at < bytes.length && runs < MOST_RUNS; at += 1) {
		if (at % 1024 === 0 && slice.isOver) await slice.next();
		if ((bytes[at] ?? 0) < 0x80) continue;
		const start = at;
		while ((bytes[at] ?? 0) >= 0x80) at += 1;
		const run = bytes.toString('latin1', Math.max(0, start - 1), Math.min(at, start + 100) + 1);
		runs += 1;
		if (POLISH.test(run)) polish += 1;
		if (NEITHER.test(run)) neither += 1;
		else if (CYRILLIC.test(run)) cyrillic += 1;
		else if (LATIN.test(run)) latin += 1;
	}
	if (neither > cyrillic + latin || 10 * polish > cyrillic + latin) return undefined;
	return cyrillic > latin ? 'windows-1251' : 'windows-1252';
}

/** The characters after ASCII: these symbols, then the rest in the order of Unicode from this code on. */
function codePage(symbols: string, rest: number): Read {
	const codes = Array.from({ length: 128 - symbols.length }, (_none, index) => rest + index);
	const page = symbols + String.fromCharCode(...codes);
	const characterOf = (byte: string) => page[byte.charCodeAt(0) - 0x80] ?? '';
	return (piece) => piece.toString('latin1').replace(/[\x80-\xFF]/g, characterOf);
}
