/** The longest possible timer. No run waits that long: see Patience. */
const LONGEST_MS = 2 ** 31 - 1;

const SECONDS = /^\d+(\.\d+)?$/;
/** The only date format that HTTP still allows to be sent: "Sun, 06 Nov 1994 08:49:37 GMT". */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The milliseconds a Retry-After header asks to wait; undefined if it is missing or invalid. */
export function parseRetryAfter(header: unknown, wallTime: number): number | undefined {
	const text = String(header).trim();
	const milliseconds = SECONDS.test(text) ? Number(text) * 1000 : untilDate(text, wallTime);
	return milliseconds === undefined ? undefined : Math.min(LONGEST_MS, Math.max(0, milliseconds));
}

function untilDate(text: string, wallTime: number): number | undefined {
	if (!HTTP_DATE.test(text)) return undefined;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : date - wallTime;
}
