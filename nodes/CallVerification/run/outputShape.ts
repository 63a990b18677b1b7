import { errorWords } from '../phones/phoneChecks';
import type { OutputRecord } from './operation';

/** Only these fields, in this order; missing ones are left out. */
export function pick<Value>(
	record: Readonly<Record<string, Value>>,
	fields: readonly string[],
): Readonly<Record<string, Value>> {
	const picked: Record<string, Value> = {};
	for (const field of fields) {
		if (field in record) picked[field] = record[field] as Value;
	}
	return picked;
}

export function omit(record: OutputRecord, fields: readonly string[]): OutputRecord {
	return Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));
}

/**
 * n8n treats an item with a key `error` as failed and runs the whole node again if “Retry On Fail” is on. So the
 * service's `error` is renamed to `reason`.
 */
export function withoutErrorKey({ error, ...record }: OutputRecord): OutputRecord {
	const reason = errorWords(error);
	return reason === '' ? record : { ...record, reason };
}
