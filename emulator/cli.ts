import { settingsFromFlags, USAGE } from './cliFlags';
import { startEmulator } from './emulator';

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
