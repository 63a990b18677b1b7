const KEEPS_FIRST = 4;

/** Keeps the country, the operator code and some of the last digits; the contract shows no mask. */
export function maskPhone(phone: string, keepsLast: number): string {
	const hidden = Math.max(phone.length - KEEPS_FIRST - keepsLast, 1);
	const [first, last] = [phone.slice(0, KEEPS_FIRST), phone.slice(KEEPS_FIRST + hidden)];
	return `${first}${'*'.repeat(hidden)}${last}`;
}
