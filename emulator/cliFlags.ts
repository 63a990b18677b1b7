import { parseArgs } from 'node:util';
import type { EmulatorSettings } from './settings';

export const USAGE = `Usage: emulator [--port N] [--key KEY] [--service-id ID] [--latency MS]`;

/** Turns command-line flags into settings; throws an Error that says what is wrong. */
export function settingsFromFlags(argv: readonly string[]): Partial<EmulatorSettings> {
	const { values } = parseArgs({
		args: [...argv],
		options: {
			port: { type: 'string' },
			key: { type: 'string' },
			'service-id': { type: 'string' },
			latency: { type: 'string' },
		},
	});
	const settings: Partial<EmulatorSettings> = {};
	if (values.port !== undefined) settings.port = wholeNumber('--port', values.port, 65_535);
	if (values.key !== undefined) settings.secretKey = values.key;
	if (values['service-id'] !== undefined) settings.serviceId = values['service-id'];
	if (values.latency !== undefined) {
		settings.latencyMs = wholeNumber('--latency', values.latency, 600_000);
	}
	return settings;
}

function wholeNumber(flag: string, text: string, max: number): number {
	const value = Number(text);
	if (/^\d+$/.test(text) && value <= max) return value;
	throw new Error(`${flag} must be a whole number from 0 to ${max}, not ${text}`);
}
