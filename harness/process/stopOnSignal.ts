import { stopAllGuarded } from './guardedProcess';

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * For commands that run until Ctrl-C: stops everything that the command started, then the command. A second signal ends
 * it immediately, and the guards clean up.
 */
export function stopOnSignal(alsoStop: () => Promise<void> = async () => {}): void {
	let stopping = false;
	for (const [signal, exitCode] of Object.entries(EXIT_CODES)) {
		process.on(signal, () => {
			if (stopping) process.exit(exitCode);
			stopping = true;
			void Promise.allSettled([stopAllGuarded(), alsoStop()]).then(() => process.exit(exitCode));
		});
	}
}
