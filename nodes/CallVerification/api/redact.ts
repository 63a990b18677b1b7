// Unlike a phone number that is read, one that is quoted may have any digits and any marks in it.
const DIGIT = /\p{Nd}/u;
const GROUPING = /[\s\p{Dash}.()\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
const FEWEST_DIGITS = 7;
const EXCERPT_LENGTH = 160;

// Signs that would move the cursor of a terminal or turn the direction of a line around.
const BLANK_OR_CONTROL = /[\s\p{Cc}\p{Bidi_Control}]+/gu;

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
 * Anything that could be a phone number keeps its last two digits only. Character by character: a
 * pattern that repeats a group runs out of stack on a few megabytes of digits.
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

	const endNumber = () => {
		if (digits >= FEWEST_DIGITS) {
			masked += `${text.slice(copied, start)}•••${lastButOne}${last}`;
			copied = end;
		}
		digits = 0;
	};
	for (const character of text) {
		const next = position + character.length;
		if (DIGIT.test(character)) {
			if (digits === 0) start = position;
			digits += 1;
			end = next;
			lastButOne = last;
			last = character;
		} else if (digits > 0 && !GROUPING.test(character)) {
			endNumber();
		}
		position = next;
	}
	endNumber();
	return masked + text.slice(copied);
}

/**
 * Makes foreign words fit for an error: servers and proxies like to quote the request, and the
 * request holds the secret key and a phone number.
 */
export function createRedactor(secret: string): (text: string) => string {
	if (secret === '') return maskNumbers;
	const anySpelling = new RegExp([...secret].map(spellingsOf).join(''), 'giu');
	return (text) => maskNumbers(text.replace(anySpelling, '•••'));
}

/** A character as it is, or as URLs, JSON and HTML write it; they differ in which ones they leave alone. */
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
	// The longest first: “&” is also how “&amp;” begins.
	const inOrder = [...new Set(spellings)].sort((a, b) => b.length - a.length);
	return `(?:${inOrder.map(quoted).join('|')})`;
}

function quoted(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The start of a text on one line. Redact first: a cut through a secret would hide it. */
export function excerpt(text: string): string {
	const line = text.replace(BLANK_OR_CONTROL, ' ').trim();
	return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}
