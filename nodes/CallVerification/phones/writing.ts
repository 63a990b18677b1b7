export const [MIN_DIGITS, MAX_DIGITS] = [7, 15];
const PLAIN = /^\+?[\d\s\p{Dash}.()]+$/u;
export const INTERNATIONAL = /^(?:\+|00)[\s\p{Dash}.()/]*(?:\d[\s\p{Dash}.()/]*){7,15}$/u;

/** Chat apps, web pages and spreadsheets put these around a number to set its direction or its line breaks. */
export const withoutInvisibleMarks = (text: string) =>
	text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
export const compact = (text: string) => text.replace(/[\s\p{Dash}.()]/gu, '');
export const digitsOf = (text: string) => text.replace(/\D/g, '');
/** Without what spreadsheets and links put around a number. */
export const bare = (cell: string) => cell.trim().replace(/^(?:=?["']|tel:)\s*|"$/gi, '');

/** Spreadsheets mark text as `'7…` or `="7…"`. */
const TEXT_MARKS = /^['‘’`"=]+/;
/** From the first of them on, or a long row of them would take hours. */
const CLOSING_MARKS = /(?<!['’`"])['’`"]+$/;
const TEL = /^(?:tel|callto|тел)[.:]{1,2}([^;]*)(?:;[a-z-]+=[^\s;]*){0,5}$/i;
/** Blanks are ruled out first: to find one at the end after each of many “phone=” would take hours. */
const WHATSAPP =
	/^(?=\S*$)(?:https?:\/\/)?(?:(?:www\.)?wa\.me\/|(?:api|web)\.whatsapp\.com\/send\/?\?(?:[^\s#]*&)?phone=|whatsapp:\/\/send\/?\?(?:[^\s#]*&)?phone=)(?:\+|%2B)?([\d-]+)(?:[/?#&]\S*)?$/i;
const EXTENSION =
	/\(?(?:ext(?:ension|n)?|доб(?:авочный)?|вн(?:утренний|утр)?|[xх]|#)[.:]?\s*\d{1,6}\)?$/i;
/** With a digit less before it, “x” may stand for one that was left out. */
const FEWEST_BEFORE_EXTENSION = 10;

/** The number inside of all this; text that is no such number stays as it is. */
export function unwrapped(cell: string): string {
	const text = withoutInvisibleMarks(cell).replace(/[\uff01-\uff5e]/g, (wide) =>
		wide.normalize('NFKC'),
	);
	const inner = withoutExtension(withoutLink(withoutMarks(text.trim())));
	// Outer spaces are no reason to send something else than was typed.
	if (inner === text.trim()) return text;
	const isPlain = PLAIN.test(inner) && digitsOf(inner).length >= MIN_DIGITS;
	return isPlain || readSpreadsheetNumber(inner) !== undefined ? inner : text;
}

function withoutMarks(text: string): string {
	const inner = text.replace(TEXT_MARKS, '');
	return inner === text ? text : inner.replace(CLOSING_MARKS, '').trim();
}

function withoutLink(text: string): string {
	const inChat = WHATSAPP.exec(text)?.[1];
	// Such a link always has the country code, without its plus.
	if (inChat !== undefined) return `+${inChat}`;
	const dialled = TEL.exec(text)?.[1];
	return dialled?.replace(/%2B/i, '+').replaceAll('%20', ' ').trim() ?? text;
}

function withoutExtension(text: string): string {
	const number = text.replace(EXTENSION, '').trimEnd();
	if (number !== text && digitsOf(number).length < FEWEST_BEFORE_EXTENSION) return text;
	return number.replace(/[,;]$/, '').trimEnd();
}

/** With a plus for 00, unless too few digits follow: a code or an ID may begin like that. */
export const withPlus = (text: string) =>
	text.replace(/^\s*00[\s\p{Dash}.]*(?=\(?[1-9](?:\D*\d){6})/u, '+');

// Most of Europe uses a decimal comma. A leading plus comes from expressions like “+{{ … }}”.
const SCIENTIFIC = /^(\+?)(\d+)(?:[.,](\d+))?E\+?(\d{1,3})$/i;

/** Of `79000000001.0` and `7.9000000001E+10`; `rounded` if digits are lost. No phone number becomes a fraction. */
export function readSpreadsheetNumber(text: string): string | undefined {
	const trimmed = text.trim();
	const parts = SCIENTIFIC.exec(trimmed);
	if (parts === null) return /^(\+?\d+)[.,]0+$/.exec(trimmed)?.[1];
	const [, plus = '', before = '', after = '', power] = parts;
	const exponent = Number(power);
	if (after.length < exponent) return 'rounded';
	if (/[1-9]/.test(after.slice(exponent))) return undefined;
	return plus + (before + after.slice(0, exponent)).replace(/^0+(?=\d)/, '');
}

/** Never true for one number, however it is grouped, unless it has 14 digits and more and no plus. */
export function holdsTwoNumbers(text: string): boolean {
	const parts = text.split(/[^\d\s\p{Dash}.()]/u);
	if (parts.filter((part) => digitsOf(part).length >= MIN_DIGITS).length > 1) return true;
	const all = digitsOf(text).length;
	if (!PLAIN.test(text.trim()) || (text.includes('+') && all <= MAX_DIGITS)) return false;
	// With nothing but a space or a line break in between.
	let before = 0;
	return text.split(/\s+/).some((word) => {
		before += digitsOf(word).length;
		return before >= MIN_DIGITS && all - before >= MIN_DIGITS;
	});
}

/** No phone number becomes one. Spreadsheets write only zeros after the point of a whole number. */
export const isFraction = (text: string) => /^\s*\+?\d{7,}\.\d*[1-9]\d*\s*$/.test(text);

/** From its plus, parenthesis or first digit to its last digit. */
const PIECE = /(?=[+(\d])\+?[\s\p{Dash}.()]*\d(?:[\s\p{Dash}.()]*\d)*/gu;
const WORD = /\p{L}{2}/u;
/** What makes digits a part of something else: an address, an ID, a word with a letter in place of a digit. */
const GLUE_BEFORE = /[\p{L}\p{M}\p{N}_/\\=@#№%&?*+]$/u;
const GLUE_AFTER = /^[\p{L}\p{M}\p{N}_\\=@%&*+]/u;
/** Fewer are no number of which digits are missing, but a part of a note. */
const FEWEST_OF_NUMBER = 5;

export type AmongWords =
	| { readonly number: string }
	| { readonly doubt: 'noNumber' | 'digitMissing' | 'twoNumbers' };

/** The only number of a cell that has words, too. Other digits in it must be apart from the number: “(Ann, flat 5)”. */
export function numberAmongWords(text: string): AmongWords {
	const pieces = [...text.matchAll(PIECE)].map(({ 0: piece, index }) => ({
		number: piece,
		start: index,
		end: index + piece.length,
		digits: digitsOf(piece).length,
	}));
	const [found, second] = pieces.filter(({ digits }) => digits >= MIN_DIGITS);
	if (found === undefined) {
		const isPart = pieces.some(({ digits }) => digits >= FEWEST_OF_NUMBER);
		return { doubt: isPart ? 'digitMissing' : 'noNumber' };
	}
	const isApart = pieces.every(
		(other) =>
			other === found ||
			WORD.test(text.slice(other.end, found.start)) ||
			WORD.test(text.slice(found.end, other.start)),
	);
	if (second !== undefined || !isApart) return { doubt: 'twoNumbers' };
	const isGlued =
		GLUE_BEFORE.test(text.slice(0, found.start)) || GLUE_AFTER.test(text.slice(found.end));
	return isGlued ? { doubt: 'noNumber' } : { number: found.number };
}
