/**
 * Characters that Unicode lists as invisible. Chat apps, web pages and spreadsheets put them around a number to set its
 * direction, to control line breaks, or to choose a variant.
 */
const INVISIBLE_MARKS = /\p{Default_Ignorable_Code_Point}/gu;

// A combining mark would attach to the quotation mark; the blank Braille pattern counts as a symbol.
const SEEN_ON_ITS_OWN = /^(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]$/u;

export function withoutInvisibleMarks(text: string): string {
	return text.replace(INVISIBLE_MARKS, '');
}

/** In quotation marks, or by its code point if it would not be visible. */
export function nameOfCharacter(character: string): string {
	if (SEEN_ON_ITS_OWN.test(character)) return `“${character}”`;
	const codePoint = character.codePointAt(0) ?? 0;
	return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
