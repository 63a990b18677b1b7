import type { EmulatorSettings } from './settings';

/** A record of the contract as the service that is played sends it. */
export function wireRecord(
	record: Readonly<Record<string, unknown>>,
	{ fieldNames, leftOutIfEmpty }: Pick<EmulatorSettings, 'fieldNames' | 'leftOutIfEmpty'>,
): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(record)
			.filter(([name, value]) => !(leftOutIfEmpty.includes(name) && isEmpty(value)))
			.map(([name, value]) => [fieldNames[name] ?? name, value]),
	);
}

function isEmpty(value: unknown): boolean {
	return value === '' || value === false || (Array.isArray(value) && value.length === 0);
}
