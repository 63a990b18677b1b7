/** A whole number as a spreadsheet writes it. */
export type SpreadsheetNumber =
	| { readonly isRounded: false; readonly digits: string }
	/** Its last digits are lost. */
	| { readonly isRounded: true };

// Most of Europe uses a decimal comma. A leading plus comes from expressions like “+{{ … }}”.
const DECIMAL = /^(\+?\d+)[.,]0+$/;
const SCIENTIFIC = /^(\+?)(\d+)(?:[.,](\d+))?E\+?(\d{1,3})$/i;

/**
 * Reads `79000000001.0` and `7.9000000001E+10`, with the plus sign if there is one. Returns undefined for anything
 * else, including fractions, which spreadsheets do not make of a phone number.
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
