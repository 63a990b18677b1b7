/** The contract shows no mask; this one keeps the country, the operator code and the last two digits. */
export function maskPhone(phone: string): string {
	const hidden = Math.max(phone.length - 6, 0);
	return `${phone.slice(0, 4)}${'*'.repeat(hidden)}${phone.slice(-2)}`;
}
