import { parseArgs } from 'node:util';

import { startEmulator } from '../emulator/emulator';
import { type EmulatorOptions, SERVICE_NAMES } from '../emulator/played/services';
import { serviceName, wholeNumber } from './flags';

const USAGE = `Usage: emulator [--port N] [--key KEY] [--service-id ID] [--latency MS] [--as ${SERVICE_NAMES.join('|')}]`;

/** Turns command-line flags into settings; throws an Error that says what is wrong. */
function settingsFromFlags(argv: readonly string[]): EmulatorOptions {
	const { values } = parseArgs({
		args: [...argv],
		options: {
			port: { type: 'string' },
			key: { type: 'string' },
			'service-id': { type: 'string' },
			latency: { type: 'string' },
			as: { type: 'string' },
		},
	});
	const settings: EmulatorOptions = {};
	if (values.port !== undefined)
		settings.port = wholeNumber('--port', values.port, { from: 0, to: 65_535 });
	if (values.key !== undefined) settings.secretKey = values.key;
	if (values['service-id'] !== undefined) settings.serviceId = values['service-id'];
	if (values.latency !== undefined) {
		settings.latencyMs = wholeNumber('--latency', values.latency, { from: 0, to: 600_000 });
	}
	if (values.as !== undefined) settings.as = serviceName(values.as);
	return settings;
}

async function main(): Promise<void> {
	const emulator = await startEmulator(settingsFromFlags(process.argv.slice(2)));
	console.log(`Address:    ${emulator.url}`);
	console.log(`Secret key: ${emulator.secretKey}`);
	console.log(`Service ID: ${emulator.serviceId}`);
	console.log('Open the address in a browser to make inbound calls. Press Ctrl+C to stop.');
	const stop = (): void => {
		// A second signal while closing finds no handler and ends the process immediately.
		process.off('SIGINT', stop).off('SIGTERM', stop);
		void emulator.close();
	};
	process.on('SIGINT', stop).on('SIGTERM', stop);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	console.error(USAGE);
	process.exitCode = 1;
});
