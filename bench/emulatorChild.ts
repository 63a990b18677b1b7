import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';

import { type Emulator, startEmulator } from '../emulator/emulator';
import type { Certificate } from '../harness/process/loopback';
import type { EmulatorBehaviour, EmulatorOrder, EmulatorTraffic } from './services';

/** The emulated service in a separate process, so that its cost does not count as ours. */

let emulator: Emulator | undefined;
let front: TlsFront | undefined;

async function start({ certificate, ...behaviour }: EmulatorBehaviour) {
	emulator = await startEmulator({ ...behaviour, startingBalance: 1e9 });
	const { url, secretKey, serviceId } = emulator;
	front = certificate && (await startTlsFront(url, certificate));
	return { url: front?.url ?? url, secretKey, serviceId };
}

async function stop(): Promise<EmulatorTraffic> {
	if (emulator === undefined) throw new Error('The service has not been started');
	const { requests, checks, calls, peakInFlight } = emulator.ledger;
	const traffic = {
		requests: requests.length,
		answered: checks.length,
		numbersChecked: new Set(checks.map(({ source }) => source)).size,
		calls: calls.length,
		numbersCalled: new Set(calls.map(({ phone }) => phone)).size,
		peakInFlight,
	};
	front?.close();
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

interface TlsFront {
	readonly url: string;
	close(): void;
}

/** Terminates TLS and forwards the bytes to a plain HTTP server. */
async function startTlsFront(target: string, certificate: Certificate): Promise<TlsFront> {
	const { hostname, port } = new URL(target);
	const server = createServer({ ...certificate }, (outside) => {
		const inside = connect(Number(port), hostname);
		outside.pipe(inside).pipe(outside);
		outside.on('error', () => inside.destroy());
		inside.on('error', () => outside.destroy());
	}).listen(0, hostname);
	await once(server, 'listening');
	const address = server.address() as AddressInfo;
	return { url: `https://${hostname}:${address.port}`, close: () => server.close() };
}
