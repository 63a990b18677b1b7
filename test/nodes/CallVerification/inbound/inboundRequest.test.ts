import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import type { IWebhookFunctions } from 'n8n-workflow';

import {
	LinesPerMinute,
	unlessAccepted,
} from '../../../../nodes/CallVerification/inbound/inboundRequest';

/** Posts to a real Node server, because these tests depend on which events a response emits, and when. */
async function takesBack(status: number, { hangsUp }: { hangsUp: boolean }): Promise<boolean> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const requested = once(server, 'request');
	const socket = connect(port, '127.0.0.1');
	socket.on('error', () => {});
	socket.resume();
	socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
	const [, response] = (await requested) as [unknown, ServerResponse];

	let isTakenBack = false;
	const context: Partial<IWebhookFunctions> = {
		getResponseObject: () => response as ReturnType<IWebhookFunctions['getResponseObject']>,
	};
	unlessAccepted(context as IWebhookFunctions, () => {
		isTakenBack = true;
	});
	const closed = once(response, 'close');
	if (hangsUp) {
		socket.destroy();
		await closed;
	}
	response.statusCode = status;
	response.end('{}');
	await closed;
	socket.destroy();
	server.close();
	return isTakenBack;
}

describe('a claim on an event', () => {
	it.each([
		[200, false, false],
		[200, true, false],
		[401, false, true],
		[500, false, true],
		[500, true, true],
	])('when n8n answers %i and the sender has hung up (%j), is taken back: %j', async (...row) => {
		const [status, hangsUp, isTakenBack] = row;
		expect(await takesBack(status, { hangsUp })).toBe(isTakenBack);
	});
});

describe('lines about rejected events', () => {
	const NOW = 1_800_000_000_000;
	const MINUTE = 60_000;

	it('are shown once per kind and minute, and then say how many were left out', () => {
		const lines = new LinesPerMinute();
		expect(lines.claim('expired', NOW)).toBe(0);
		expect(lines.claim('expired', NOW + 1)).toBeUndefined();
		expect(lines.claim('expired', NOW + MINUTE - 1)).toBeUndefined();
		expect(lines.claim('forged', NOW + MINUTE - 1)).toBe(0);
		expect(lines.claim('expired', NOW + MINUTE)).toBe(2);
		expect(lines.claim('expired', NOW + 2 * MINUTE)).toBe(0);
	});

	it('are not silenced by a clock that is set back', () => {
		const lines = new LinesPerMinute();
		lines.claim('expired', NOW);
		expect(lines.claim('expired', NOW - 60 * MINUTE)).toBe(0);
	});

	it('take a bounded memory, and forget the kind first that was shown longest ago', () => {
		const lines = new LinesPerMinute();
		for (let kind = 0; kind <= 1_000; kind += 1) lines.claim(String(kind), NOW + kind);
		expect(lines.size).toBe(1_000);
		expect(lines.claim('1', NOW + 1_000)).toBeUndefined();
		expect(lines.claim('0', NOW + 1_000)).toBe(0);
	});
});
