import { InputError } from '../contract/request';
import type { TimeSlice } from '../pacing/time';

interface ListText {
	/** UTF-8 without byte order mark. Bytes, because a text of this length would fill n8n's heap. */
	readonly bytes: Buffer;
	/** Of the file. That of Windows is guessed: nothing in the file says so. */
	readonly encoding: string;
}

const UTF8_MARK = Buffer.from('\uFEFF');
export const PIECE = 64 * 1024;
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
	[/^PK(?![\r\n])\p{Cc}{2}/u, 'a spreadsheet (XLSX, ODS) or another ZIP archive'],
	[/^\xD0\xCF\p{Cc}\xE0/u, 'an old Excel spreadsheet (XLS)'],
	[/^%PDF/, 'a PDF'],
	[/^\p{Cc}\x8B/u, 'a compressed file (GZIP)'],
	[/^\{\\rtf/, 'a text document (RTF)'],
	[/^\s*<(?:!|\?xml|html|head|body|meta|table|div)/i, 'a web page or XML'],
	[/^\s*(?:\[\s*[[{"]|\{\s*["}])/, 'JSON'],
];

/** Nothing is replaced: a byte that cannot be read is an error with its line. */
export async function readListText(file: Uint8Array, slice: TimeSlice): Promise<ListText> {
	const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
	rejectOtherFormats(bytes);
	const isUtf16 = /^(?:\xFF\xFE|\xFE\xFF)/.test(bytes.toString('latin1', 0, 2));
	const text = isUtf16 ? await readUtf16(bytes, slice) : await readBytes(bytes, slice);
	rejectOtherFormats(text.bytes);
	return text;
}

/** With the line as an editor numbers it. */
export function lineError(bytes: Buffer, position: number, problem: string, advice: string) {
	return new InputError(`Line ${lineAt(bytes, position)} of the file has ${problem}`, advice);
}

/** Of the line that this byte stands on. */
export function lineAt(bytes: Buffer, position: number): number {
	let line = 1;
	for (let at = 0; at < position; at += 1) {
		if (bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)) line += 1;
	}
	return line;
}

function rejectOtherFormats(bytes: Buffer): void {
	const start = bytes.toString('latin1', 0, 1_000);
	const format = OTHER_FORMATS.find(([pattern]) => pattern.test(start));
	if (format === undefined) return;
	throw new InputError(
		`The file is ${format[1]}, not CSV`,
		`${SAVE_AS_CSV} Or read it with n8n’s Extract from File node and check its rows with Phone Number: Check.`,
	);
}

async function readUtf16(bytes: Buffer, slice: TimeSlice): Promise<ListText> {
	const isLittleEndian = bytes[0] === 0xff;
	const encoding = isLittleEndian ? 'UTF-16LE' : 'UTF-16BE';
	const body = bytes.subarray(2);
	const read = (start: number, end: number) => {
		const [piece, half] = [body.subarray(start, end & ~1), end % 2 === 1 ? UNDEFINED : ''];
		return (isLittleEndian ? piece : Buffer.from(piece).swap16()).toString('utf16le') + half;
	};
	const text = await toUtf8(body.length, read, slice, `is not valid ${encoding}`);
	rejectNul(text);
	return { bytes: text, encoding };
}

async function readBytes(bytes: Buffer, slice: TimeSlice): Promise<ListText> {
	rejectNul(bytes);
	const hasMark = bytes.indexOf(UTF8_MARK) === 0;
	const body = hasMark ? bytes.subarray(UTF8_MARK.length) : bytes;
	const { sequences, strays, firstStray } = await scanUtf8(body, slice);
	if (strays === 0) return { bytes: body, encoding: 'UTF-8' };
	// In a code page, letters seldom happen to form a sequence of UTF-8.
	const isUtf8 = hasMark || strays < 3 * sequences;
	if (isUtf8) throw unreadable(body, firstStray, 'is not valid UTF-8');
	// Excel’s “CSV (Macintosh)” has these line breaks, and code pages that look like those of Windows.
	const isFromMacintosh = body.includes(0x0d) && !body.includes(0x0a);
	const encoding = isFromMacintosh ? undefined : await guessCodePage(body, slice);
	if (!encoding) throw new InputError('The encoding of the file is unknown', SAVE_AS_CSV);
	const page = CODE_PAGES[encoding];
	const characterOf = (byte: string) => page[byte.charCodeAt(0) - 0x80] ?? '';
	const read = (start: number, end: number) =>
		body.toString('latin1', start, end).replace(/[\x80-\xFF]/g, characterOf);
	const problem = `is valid neither in UTF-8 nor in ${encoding}`;
	return { bytes: await toUtf8(body.length, read, slice, problem), encoding };
}

function rejectNul(bytes: Buffer): void {
	const problem = 'does not belong in text: the file is not CSV, or its encoding is not supported';
	if (bytes.includes(0)) throw unreadable(bytes, bytes.indexOf(0), problem);
}

function unreadable(bytes: Buffer, position: number, problem: string): InputError {
	const advice = `Correct that line. ${SAVE_AS_CSV}`;
	return lineError(bytes, position, `a character that ${problem}`, advice);
}

async function toUtf8(
	length: number,
	read: (start: number, end: number) => string,
	slice: TimeSlice,
	problem: string,
): Promise<Buffer> {
	const pieces: Buffer[] = [];
	let half = '';
	for (let start = 0; start < length; start += PIECE) {
		const end = Math.min(start + PIECE, length);
		const text = half + read(start, end);
		// Of a pair that is cut; the next piece has the other one.
		half = end < length ? (/[\uD800-\uDBFF]$/.exec(text)?.[0] ?? '') : '';
		const whole = text.slice(0, text.length - half.length);
		const [readable = ''] = whole.split(LONE_SURROGATE, 1);
		pieces.push(Buffer.from(readable));
		if (readable !== whole) {
			const before = Buffer.concat(pieces);
			throw unreadable(before, before.length, problem);
		}
		if (slice.isOver) await slice.next();
	}
	return Buffer.concat(pieces);
}

/** Counts characters of several bytes, and bytes that belong to no character. */
async function scanUtf8(bytes: Buffer, slice: TimeSlice) {
	const scan = { sequences: 0, strays: 0, firstStray: -1 };
	for (let at = 0, end = PIECE; at < bytes.length; end += PIECE) {
		while (at < Math.min(end, bytes.length)) {
			const isAscii = (bytes[at] ?? 0) < 0x80;
			const size = isAscii ? 1 : sizeOfSequence(bytes, at);
			if (size > 1) scan.sequences += 1;
			else if (size === 0 && scan.strays++ === 0) scan.firstStray = at;
			at += size || 1;
		}
		if (slice.isOver) await slice.next();
	}
	return scan;
}

/** 0 if it is no valid sequence of UTF-8. */
function sizeOfSequence(bytes: Buffer, at: number): number {
	const lead = bytes[at] ?? 0;
	if (lead < 0xc2 || lead > 0xf4) return 0;
	const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	const second = bytes[at + 1] ?? 0;
	if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)) return 0;
	if ((lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f)) return 0;
	for (let next = at + 1; next < at + size; next += 1) {
		if ((bytes[next] ?? 0) >> 6 !== 0b10) return 0;
	}
	return size;
}

const MOST_RUNS = 20_000;
const LETTER =
	'[\\x8A\\x8C\\x8E\\x9A\\x9C\\x9E\\x9F\\xA1\\xA2\\xA5\\xA8\\xAA\\xAF\\xB2-\\xB4\\xB8\\xBA\\xBF-\\xFF]';
/** Three letters in a row, two that are a word, or the № of Russian lists (\xB9). */
const CYRILLIC = new RegExp(`${LETTER}{3}|(?<![A-Za-z])${LETTER}{2}(?![A-Za-z])|\\xB9`);
/** Accented letters stand between plain ones. */
const LATIN = new RegExp(`[A-Za-z]${LETTER}|${LETTER}[A-Za-z]`);
/** Words of symbols (DOS), words such as “иВАН” (KOI8), and symbols inside of words (DOS again). */
const NEITHER =
	/[\x80-\xBF]{3}|(?<![\xC0-\xFF])[\xE0-\xFF][\xC0-\xDF]{2}|[A-Za-z][\x80-\x89\x8B\x8D\x8F\x90\x93-\x95\x97-\x99\x9B\x9D][A-Za-z]/;
/** Polish in windows-1250: ź, ł, ą and ż, where other code pages have Ÿ, ³, ¹ and ¿, or џ, і, № and ї. */
const POLISH = /[A-Za-z][\x9F\xB3\xB9\xBF][a-z]/;

/** By the runs of bytes that are not ASCII, each with the characters beside it. */
async function guessCodePage(
	bytes: Buffer,
	slice: TimeSlice,
): Promise<keyof typeof CODE_PAGES | undefined> {
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

/** The 128 characters after ASCII: these, then the rest in the order of Unicode from this code on. */
function codePage(special: string, rest: number): string {
	const codes = Array.from({ length: 128 - special.length }, (_, index) => rest + index);
	return special + String.fromCharCode(...codes);
}
