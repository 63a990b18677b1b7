/** Sums of decimal prices carry a tail of rounding; the service's prices do not. */
export function money(value: number): string {
	return String(Number(value.toFixed(6)));
}
