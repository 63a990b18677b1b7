/** Whoever asks for more is asked again after this: a run must not hang for a day on one header. */
const LONGEST_MS = 5 * 60_000;

const SECONDS = /^\d+(\.\d+)?$/;
/** The one form of date that HTTP still allows to be sent: "Sun, 06 Nov 1994 08:49:37 GMT". */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The milliseconds a Retry-After header asks to wait; undefined when it is missing or makes no sense. */
export function parseRetryAfter(header: unknown, now: number): number | undefined {
	const text = String(header).trim();
	const milliseconds = SECONDS.test(text) ? Number(text) * 1000 : untilDate(text, now);
	return milliseconds === undefined ? undefined : Math.min(LONGEST_MS, Math.max(0, milliseconds));
}

function untilDate(text: string, now: number): number | undefined {
	if (!HTTP_DATE.test(text)) return undefined;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : date - now;
}
