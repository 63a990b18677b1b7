import { withoutInvisibleMarks } from './invisibleMarks';
import { readSpreadsheetNumber } from './spreadsheetNumber';

export const SEPARATORS = /[\s\p{Dash}.()]/gu;
const PLAIN = /^\+?[\d\s\p{Dash}.()]+$/u;
/** What cannot be inside a number. */
const BETWEEN_NUMBERS = /[^\d\s\p{Dash}.()]/u;
export const MIN_DIGITS = 7;
export const MAX_DIGITS = 15;

const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** Spreadsheets mark text as `'7…` or `="7…"`. */
const TEXT_MARKS = /^['‘’`"=]+/;
const CLOSING_MARKS = '\'’`"';
const TEL = /^(?:tel|callto|тел)[.:]{1,2}([^;]*)(?:;[a-z-]+=[^\s;]*){0,5}$/i;
/** Blanks are ruled out first: to find one at the end after each of many “phone=” would take hours. */
const WHATSAPP =
	/^(?=\S*$)(?:https?:\/\/)?(?:(?:www\.)?wa\.me\/|(?:api|web)\.whatsapp\.com\/send\/?\?(?:[^\s#]*&)?phone=|whatsapp:\/\/send\/?\?(?:[^\s#]*&)?phone=)(?:\+|%2B)?([\d-]+)(?:[/?#&]\S*)?$/i;
const EXTENSION =
	/\(?(?:ext(?:ension|n)?|доб(?:авочный)?|вн(?:утренний|утр)?|[xх]|#)[.:]?\s*\d{1,6}\)?$/i;
const FEWEST_BEFORE_EXTENSION = 10;

/** The number in a cell without what people and programs write around it; any other text as it is. */
export function unwrapped(cell: string): string {
	const text = withoutInvisibleMarks(cell).replace(FULL_WIDTH, (character) =>
		String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET),
	);
	const inner = withoutExtension(withoutLink(withoutMarks(text.trim())));
	const isNumber =
		(PLAIN.test(inner) && digitsIn(inner) >= MIN_DIGITS) ||
		readSpreadsheetNumber(inner) !== undefined;
	// Outer spaces are no reason to send something else than was typed.
	return isNumber && inner !== text.trim() ? inner : text;
}

function withoutMarks(text: string): string {
	const inner = text.replace(TEXT_MARKS, '');
	if (inner === text) return text;
	let end = inner.length;
	while (end > 0 && CLOSING_MARKS.includes(inner.charAt(end - 1))) end -= 1;
	return inner.slice(0, end).trim();
}

function withoutLink(text: string): string {
	const inChat = WHATSAPP.exec(text)?.[1];
	// Such a link always has the country code, without its plus.
	if (inChat !== undefined) return `+${inChat}`;
	const dialled = TEL.exec(text)?.[1];
	return dialled?.replace(/%2B/i, '+').replaceAll('%20', ' ').trim() ?? text;
}

/** A digit too few before it, and “x” may stand for a digit that was left out. */
function withoutExtension(text: string): string {
	const start = text.search(EXTENSION);
	const number = start < 0 ? text : text.slice(0, start).trimEnd();
	return start < 0 || digitsIn(number) >= FEWEST_BEFORE_EXTENSION
		? number.replace(/[,;]$/, '').trimEnd()
		: text;
}

/** With a plus for 00, unless too few digits follow: a code or an ID may begin like that. */
export function withPlus(text: string): string {
	return text.replace(/^\s*00[\s\p{Dash}.]*(?=\(?[1-9](?:\D*\d){6})/u, '+');
}

/** Never true for one number, however it is grouped, unless it has 14 digits and more and no plus. */
export function holdsTwoNumbers(text: string): boolean {
	const parts = text.split(BETWEEN_NUMBERS).map(digitsIn);
	if (parts.filter((count) => count >= MIN_DIGITS).length > 1) return true;
	const all = digitsIn(text);
	if (!PLAIN.test(text.trim()) || (text.includes('+') && all <= MAX_DIGITS)) return false;
	// With nothing but a space or a line break in between.
	let before = 0;
	return text.split(/\s+/).some((word) => {
		before += digitsIn(word);
		return before >= MIN_DIGITS && all - before >= MIN_DIGITS;
	});
}

function digitsIn(text: string): number {
	return text.replace(/\D/g, '').length;
}
