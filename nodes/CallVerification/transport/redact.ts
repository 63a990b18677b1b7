// Unlike in a phone number that is parsed, any digits and separators count here.
const DIGIT = /\p{Nd}/u;
const GROUPING = /[\s\p{Dash}.()+\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
/** In the URL or JSON that a server quotes, separators may be escaped. */
const ESCAPED = /%[\da-f]{2}|\\u[\da-f]{4}/iy;
const FEWEST_DIGITS = 7;
const EXCERPT_LENGTH = 160;

// Characters that would move a terminal's cursor or reverse the direction of a line.
const BLANK_OR_CONTROL = /[\s\p{Cc}\p{Bidi_Control}]+/gu;

// In JSON, also inside a text, in a URL and in HTML. An error code has fewer digits.
const QUOTE = '(?:\\\\*["\']|&quot;|&#34;|%22)?';
const CODE = new RegExp(
	`((?<![a-z_])code${QUOTE}\\s*(?:[:=]>?|%3[ad])\\s*${QUOTE})\\d{4}(?!\\d)`,
	'gi',
);

// Of a sealed callback URL, however often a server has escaped it; `signature` is n8n's own token of a resume URL.
const WORD_START = '(?<=^|[^a-z_]|%(?:25)*[\\da-f]{2}|\\\\u[\\da-f]{4})';
const ASSIGNED = '(?:[:=]>?|%(?:25)*3[ad]|\\\\u003[ad])';
const SEAL = new RegExp(
	`${WORD_START}((?:sig|signature|nonce)${QUOTE}\\s*${ASSIGNED}\\s*${QUOTE})[\\w-]+`,
	'gi',
);

const OTHER_SPELLINGS: Readonly<Record<string, readonly string[]>> = {
	' ': ['+'],
	'/': ['\\/'],
	'&': ['&amp;'],
	'<': ['&lt;'],
	'>': ['&gt;'],
	'"': ['&quot;'],
	"'": ['&#x27;'],
};

/**
 * Masks all but the last two digits of anything that could be a phone number. Character by character, because a pattern
 * with a repeated group runs out of stack on a few megabytes of digits.
 */
export function maskNumbers(text: string): string {
	let masked = '';
	let copied = 0;
	let position = 0;
	let start = 0;
	let end = 0;
	let digits = 0;
	let lastButOne = '';
	let last = '';
	let escapedUntil = 0;

	const endNumber = () => {
		if (digits >= FEWEST_DIGITS) {
			masked += `${text.slice(copied, start)}•••${lastButOne}${last}`;
			copied = end;
		}
		digits = 0;
	};
	for (const character of text) {
		const next = position + character.length;
		if (position < escapedUntil) {
			position = next;
			continue;
		}
		if (DIGIT.test(character)) {
			if (digits === 0) start = position;
			digits += 1;
			end = next;
			lastButOne = last;
			last = character;
		} else if (digits > 0 && !GROUPING.test(character)) {
			ESCAPED.lastIndex = position;
			if (ESCAPED.test(text)) escapedUntil = ESCAPED.lastIndex;
			else endNumber();
		}
		position = next;
	}
	endNumber();
	return masked + text.slice(copied);
}

/**
 * Makes text from outside safe for an error: servers and proxies may quote the request, which contains the secret key,
 * a phone number and a sealed URL, and an unusable response may contain the code of a call.
 */
export function createRedactor(secret: string): (text: string) => string {
	const redact = (text: string) => maskNumbers(text.replace(CODE, '$1••••').replace(SEAL, '$1•••'));
	if (secret === '') return redact;
	const anySpelling = new RegExp([...secret].map(spellingsOf).join(''), 'giu');
	return (text) => redact(text.replace(anySpelling, '•••'));
}

/** A character, plain or as escaped in URLs, JSON and HTML, which differ in what they escape. */
function spellingsOf(character: string): string {
	const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
	const spellings = [
		character,
		[...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
		JSON.stringify(character).slice(1, -1),
		units.map((unit) => `\\u${unit}`).join(''),
		`&#${character.codePointAt(0) ?? 0};`,
		...(OTHER_SPELLINGS[character] ?? []),
	];
	// Longest first, because “&amp;” starts with “&”.
	const inOrder = [...new Set(spellings)].sort((a, b) => b.length - a.length);
	return `(?:${inOrder.map(quoted).join('|')})`;
}

function quoted(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The start of a text on one line. Redact first, because a truncated secret would not be recognized. */
export function excerpt(text: string): string {
	const line = text.replace(BLANK_OR_CONTROL, ' ').trim();
	return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/**
 * For outputs: without the seal, n8n's own token of a resume URL, and a password before the host. Accepts any text,
 * because an event may contain any.
 */
export function withoutQuery(url: string): string {
	if (!URL.canParse(url) || new URL(url).origin === 'null') return url.replace(/[?#].*/s, '');
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}
