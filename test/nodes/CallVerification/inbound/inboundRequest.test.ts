import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import type { IWebhookFunctions } from 'n8n-workflow';

import { unlessAccepted } from '../../../../nodes/CallVerification/inbound/inboundRequest';

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
