const LONG_NUMBER = /\d(?:[\s\p{Dash}.()]*\d){6,}/gu;
const EXCERPT_LENGTH = 160;

/** Anything that could be a phone number keeps its last two digits only. */
export function maskNumbers(text: string): string {
	return text.replace(LONG_NUMBER, (number) => `•••${number.replace(/\D/g, '').slice(-2)}`);
}

/**
 * Makes foreign words fit for an error: servers and proxies like to quote the request, and the
 * request holds the secret key and a phone number.
 */
export function createRedactor(secret: string): (text: string) => string {
	const spellings = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
		.filter((spelling) => spelling !== '')
		.sort((a, b) => b.length - a.length);
	return (text) =>
		maskNumbers(spellings.reduce((clean, spelling) => clean.replaceAll(spelling, '•••'), text));
}

/** The start of a text on one line. Redact first: a cut through a secret would hide it. */
export function excerpt(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}
