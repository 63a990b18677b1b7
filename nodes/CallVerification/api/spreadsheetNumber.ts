/** A whole number that a spreadsheet has written in its own way. */
export type SpreadsheetNumber =
	| { readonly isRounded: false; readonly digits: string }
	/** Its last digits are gone, and which they were cannot be known. */
	| { readonly isRounded: true };

// The comma is the decimal sign of most of Europe. A plus in front comes from whoever wrote “+{{ … }}”.
const DECIMAL = /^(\+?\d+)[.,]0+$/;
const SCIENTIFIC = /^(\+?)(\d+)(?:[.,](\d+))?E\+?(\d{1,3})$/i;

/**
 * Reads `79000000001.0` and `7.9000000001E+10`, with the plus sign if there is one. Anything else, a
 * number with a fraction included, is not what a spreadsheet makes of a phone number: undefined.
 */
export function readSpreadsheetNumber(text: string): SpreadsheetNumber | undefined {
	const trimmed = text.trim();
	const whole = DECIMAL.exec(trimmed)?.[1];
	if (whole !== undefined) return { isRounded: false, digits: whole };

	const parts = SCIENTIFIC.exec(trimmed);
	if (parts === null) return undefined;
	const [, plus = '', before = '', after = '', power] = parts;
	const exponent = Number(power);
	if (after.length < exponent) return { isRounded: true };
	if (/[1-9]/.test(after.slice(exponent))) return undefined;
	const digits = `${before}${after.slice(0, exponent)}`.replace(/^0+(?=\d)/, '');
	return { isRounded: false, digits: `${plus}${digits}` };
}
