import { storable, withTexts } from '../contract/fields';

// Unlike in a phone number that is parsed, any separators count, also escaped as in a quoted URL or JSON.
const SEPARATORS =
	'(?:[\\s\\p{Dash}.()+\\p{Cc}\\p{DI}]|%[\\da-fA-F]{2}|\\\\[uU][\\da-fA-F]{4}){0,999}';
const DIGIT = `(?:\\p{Nd}${SEPARATORS})`;
// Too few digits are matched too, because to search them again from each digit would take too long. Bounded, because a
// group that is repeated a few million times runs out of stack.
const DIGITS = new RegExp(`${DIGIT}{5,998}(\\p{Nd})${SEPARATORS}(${DIGIT})|${DIGIT}+`, 'gu');
const EXCERPT_LENGTH = 160;
/** What is read of a text from outside to show its start. Redacting megabytes would hold up all of n8n for seconds. */
const LONGEST_READ = 64 * 1024;
/** More than any spelling of a key, and than six digits with all their separators: the most that is not yet a number. */
const LONGEST_SECRET = 48 * 1024;

// Characters that would move a terminal's cursor or reverse the direction of a line.
const BLANK_OR_CONTROL = /[\s\p{Cc}\p{Bidi_Control}]+/gu;

// In JSON, also inside a text, in HTML, and in a URL, however often a server has escaped it.
const WORD_START = '(?<=^|[^a-z_]|%(?:25)*[\\da-f]{2}|\\\\u[\\da-f]{4})';
const QUOTE = '(?:\\\\*["\']|&quot;|&#34;|%22)?';
const ASSIGNED = `${QUOTE}\\s*(?:[:=]>?|%(?:25)*3[ad]|\\\\u003[ad])\\s*${QUOTE}`;
const valueOf = (names: string, value: string) =>
	new RegExp(`${WORD_START}((?:${names})${ASSIGNED})${value}`, 'gi');

// An error code has fewer digits.
const CODE = valueOf('code', '\\d{4}(?!\\d)');
// Of a sealed callback URL; `signature` is n8n's own token of a resume URL.
const SEAL = valueOf('sig|signature|nonce', '[\\w-]+');

const IN_HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Masks all but the last two digits of anything that could be a phone number; of a longer one, in parts of 1,000. */
export function maskNumbers(text: string): string {
	let end = -1;
	return text.replace(DIGITS, (all: string, lastButOne = '', last = '', start: number) => {
		const isNumber = last !== '' || start === end;
		end = start + all.length;
		return isNumber ? `•••${lastButOne}${last}` : all;
	});
}

/**
 * Makes text from outside safe for an error: servers and proxies may quote the request, which contains the secret key,
 * a phone number and a sealed URL, and an unusable response may contain the code of a call.
 */
export function createRedactor(secret: string): (text: string) => string {
	const redact = (text: string) => {
		// A number remains one, however many blanks are between its digits: an excerpt would show only one of them.
		const line = text.replace(BLANK_OR_CONTROL, ' ');
		return maskNumbers(line.replace(CODE, '$1••••').replace(SEAL, '$1•••'));
	};
	if (secret === '') return redact;
	const anySpelling = spellingsOf(secret);
	return (text) => redact(text.replace(anySpelling, '•••'));
}

/** Shorter ones are found by chance in results that are paid for, and are no secret. */
const SHORTEST_SECRET = 8;

/** Makes a record safe to hand out: a server may quote the whole request in it, too. */
export function createSecretFilter(secret: string): (record: unknown) => unknown {
	if (secret.length < SHORTEST_SECRET) return (record) => record;
	const anySpelling = spellingsOf(secret);
	// Most texts are too short to contain it.
	const withoutSecret = (text: string) =>
		text.length < secret.length ? text : text.replace(anySpelling, '•••');
	return (record) => withTexts(record, withoutSecret);
}

const spellingsOf = (secret: string) => new RegExp([...secret].map(escapesOf).join(''), 'giu');

/** A character, plain or as escaped in URLs, JSON and HTML, which differ in what they escape. */
function escapesOf(character: string): string {
	const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
	const codePoint = character.codePointAt(0) ?? 0;
	const spellings = [
		character,
		character.replace(' ', '+'),
		[...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join(''),
		character.replace('/', '\\/'),
		JSON.stringify(character).slice(1, -1),
		character.replace(/[^]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`),
		`&#${codePoint};`,
		`&#x${hex(codePoint, 2)};`,
		IN_HTML[character] ?? character,
	];
	// Longest first, because “&amp;” starts with “&”.
	const inOrder = [...new Set(spellings)].sort((a, b) => b.length - a.length);
	return `(?:${inOrder.map(quoted).join('|')})`;
}

const quoted = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The start of a text without secrets, on one line. */
export const excerpt = (text: string) => redactedExcerpt(text, (same) => same);

/** The start of a text on one line. Redacts first, because a truncated secret would not be recognized. */
export function redactedExcerpt(text: string, redact: (text: string) => string): string {
	const line = oneLine(redact(text.slice(0, LONGEST_READ)));
	if (text.length <= LONGEST_READ && line.length <= EXCERPT_LENGTH) return line;
	const start = line.slice(0, EXCERPT_LENGTH).replace(/\p{Cs}$/u, '');
	if (text.length <= LONGEST_READ) return `${start}…`;
	// A secret that this cut splits would be shown in part. A cut before it does not show it at all.
	const earlier = oneLine(redact(text.slice(0, LONGEST_READ - LONGEST_SECRET)));
	return `${commonStart(start, earlier)}…`;
}

const oneLine = (text: string) => storable(text.replace(BLANK_OR_CONTROL, ' ').trim());

function commonStart(one: string, other: string): string {
	let length = 0;
	while (length < one.length && one[length] === other[length]) length += 1;
	return one.slice(0, length);
}

/**
 * For errors and hints, of which n8n renders some parts as HTML and some as text. A mark that nobody sees keeps a `<` from
 * opening a tag, and looks the same in both: names of columns and files, and what a service says, are never links.
 */
export const neverHtml = (text: string) => text.replace(/<(?=[a-z/!?])/gi, '<\u2060');

/**
 * For outputs: without the seal, n8n's own token of a resume URL, and a password before the host. Accepts any text,
 * because an event may contain any.
 */
export function withoutQuery(url: string): string {
	if (!URL.canParse(url) || new URL(url).origin === 'null') return url.replace(/[?#].*/s, '');
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}
