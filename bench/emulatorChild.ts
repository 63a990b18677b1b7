import { type Emulator, startEmulator } from '../emulator/emulator';
import type { EmulatorAccess, EmulatorBehaviour, EmulatorOrder, EmulatorTraffic } from './services';

/** The emulated service in a separate process, so that its cost does not count as ours. */

let emulator: Emulator | undefined;

async function start(behaviour: EmulatorBehaviour): Promise<EmulatorAccess> {
	emulator = await startEmulator({ ...behaviour, startingBalance: 1e9 });
	const { url, secretKey, serviceId } = emulator;
	return { url, secretKey, serviceId };
}

async function stop(): Promise<EmulatorTraffic> {
	if (emulator === undefined) throw new Error('The service has not been started');
	const { requests, checks, calls } = emulator.ledger;
	const traffic = {
		requests: requests.length,
		answered: checks.length,
		numbersChecked: new Set(checks.map(({ source }) => source)).size,
		calls: calls.length,
		numbersCalled: new Set(calls.map(({ phone }) => phone)).size,
	};
	await emulator.close();
	return traffic;
}

// Ends with the benchmark, even if that was killed.
process.on('disconnect', () => process.exit());

process.on('message', (order: EmulatorOrder) => {
	const done = order.do === 'start' ? start(order.behaviour) : stop();
	done.then(
		(answer) => process.send?.(answer),
		(error: unknown) => {
			console.error(error);
			process.exit(1);
		},
	);
});
