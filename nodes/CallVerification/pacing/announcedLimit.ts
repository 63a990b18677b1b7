/** What a service says it takes. Over which time, it does not say, and that of a reset has no agreed unit. */
export interface AnnouncedLimit {
	/** At least 1. */
	readonly limit: number;
	/** How many of them are left; at most all of them. */
	readonly remaining: number;
}

/** With the usual names, in lower case, as n8n returns them. */
const PREFIXES = ['x-rate-limit-', 'x-ratelimit-', 'ratelimit-'];
/** What may follow is the policy of the draft standard: "30, 30;w=1". */
const WHOLE_NUMBER = /^\s*(\d{1,9})\s*([,;]|$)/;

/** Reads the headers of a response; undefined if they are missing or cannot be true. */
export function announcedLimit(
	headers: Readonly<Record<string, unknown>>,
): AnnouncedLimit | undefined {
	const read = (name: string) =>
		PREFIXES.map((prefix) => WHOLE_NUMBER.exec(String(headers[prefix + name]))?.[1]).find(Boolean);
	const limit = Number(read('limit'));
	const remaining = Number(read('remaining'));
	return limit > 0 && remaining <= limit ? { limit, remaining } : undefined;
}
