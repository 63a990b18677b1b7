import { isServiceName, SERVICE_NAMES, type ServiceName } from '../emulator/played/services';

/** The values of command-line flags that several commands have. Each throws an Error that says what is wrong. */

export function portNumber(flag: string, text: string): number {
	return wholeNumber(flag, text, { from: 1, to: 65_535 });
}

export function wholeNumber(
	flag: string,
	text: string,
	{ from, to }: { readonly from: number; readonly to: number },
): number {
	const value = Number(text);
	if (/^\d+$/.test(text) && value >= from && value <= to) return value;
	throw new Error(`${flag} must be a whole number from ${from} to ${to}, not "${text}".`);
}

export function serviceName(text: string): ServiceName {
	if (isServiceName(text)) return text;
	throw new Error(`--as must be ${SERVICE_NAMES.join(' or ')}, not "${text}".`);
}
